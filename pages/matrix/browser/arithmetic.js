// Printed arithmetic: a pocket calculator gets from the numbers on the card what the card says.

const MOST_PLACES = 7; // decimals; smaller numbers are written as powers of ten
const MORE = 4; // digits that a number may get beyond those asked for, until what is said of it holds

/** The first writing, with ever more digits, for which something holds. */
function firstTrue(digits, write, holds, most = MORE) {
  for (let more = 0; more < most; more++) {
    const written = write(digits + more);
    if (holds(written)) return written;
  }
  return write(digits + most);
}

/** The unit of a written number's last digit. */
function lastDigit(text) {
  if (text.includes("·10")) return Math.abs(read(text)) / 10;
  return 10 ** -(text.split(".")[1]?.length ?? 0);
}

/** Whether what was computed from other written numbers rounds to a written result; half-way it could as well be another. */
const agrees = (computed, text) => Math.abs(computed - read(text)) < (lastDigit(text) / 2) * (1 - 1e-9);

/** Decimals that a sum and its terms share: so many digits of the sum, and of its largest term one more at most. */
const sharedPlaces = (total, terms, digits) =>
  Math.min(places(total, digits), places(Math.max(0, ...terms.map(Math.abs)) || total, digits + 1));

/** A number with so many decimals. */
const fixed = (value, count, plus = false) =>
  count > MOST_PLACES ? significant(value, 2, plus) : signed(value.toFixed(count), plus);

const FEW = 20; // units of the last digit: what is not listed may not be less and still take up what rounding loses

/** Terms rounded so that their column adds up to the written total, and their decimals: as few beyond the total's as it
 * takes. What rounding loses goes to the subtotal of terms that are not listed, where there is one of some size. */
function addingUp(terms, total, count, subtotal = -1) {
  for (let decimals = count; decimals <= Math.min(count + 2, MOST_PLACES); decimals++) {
    const unit = 10 ** -decimals;
    const rounded = terms.map((term) => Math.round(term / unit));
    const missing = Math.round(Number(total.toFixed(count)) / unit) - sum(rounded);
    const share = 10 ** (decimals - count); // units that make one of the total's last digit
    if (Math.abs(missing) >= share / 2) {
      if (!(Math.abs(terms[subtotal] / unit) >= FEW)) continue;
      rounded[subtotal] += missing;
    }
    return { decimals, rounded: rounded.map((number) => number * unit) };
  }
  return { decimals: count, rounded: terms };
}

/** Two factors with as few digits as give the written product; one may have a digit more than the other. */
function factors(left, top, product, digits) {
  const write = (value, count) => (Number.isInteger(value) ? signed(String(value)) : significant(value, count));
  return firstTrue(
    2 * digits,
    (both) => [write(left, Math.floor(both / 2)), write(top, Math.ceil(both / 2))],
    ([a, b]) => agrees(read(a) * read(b), product),
    2 * MORE,
  );
}

/** The signs of the terms in a picture that is an equation of matrices, "A − B = C"; of any other, null. */
function signsOf({ lines }) {
  const items = lines?.flat() ?? [];
  const signs = items.filter((item) => typeof item === "string");
  if (signs.at(-1) !== "=" || items.length !== 2 * signs.length + 1 || signs.some((sign) => !"+−=".includes(sign))) return null;
  return [1, ...signs.slice(0, -1).map((sign) => (sign === "−" ? -1 : 1))];
}

/** Numbers to add (or, of sign −1, to subtract) with as few shared decimals as let them add up exactly, and their sum. */
function addends(numbers, total, digits, signs = numbers.map(() => 1)) {
  const least = sharedPlaces(total, numbers, digits);
  const write = (count) => [...numbers, total].map((number) => fixed(number, count, true));
  const added = (written) => sum(signs.map((sign, k) => sign * read(written[k])));
  const exact = (written) => Math.abs(added(written) - read(written.at(-1))) < lastDigit(written.at(-1)) / 2;
  for (let count = least; count < least + 3; count++) if (exact(write(count))) return write(count);
  return write(least);
}
