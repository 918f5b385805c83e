// Printed arithmetic: a pocket calculator gets from the numbers on the card what the card says.

const MOST_PLACES = 7; // decimals; smaller numbers are written as powers of ten
const MORE = 4; // digits that a number may get beyond those asked for, until what is said of it holds

/** The first writing, with ever more digits, for which something holds. */
function firstTrue(digits, write, holds) {
  for (let more = 0; more < MORE; more++) {
    const written = write(digits + more);
    if (holds(written)) return written;
  }
  return write(digits + MORE);
}

/** How far a written number may be from the true one: one of its last digit. */
function lastDigit(text) {
  if (text.includes("·10")) return Math.abs(read(text)) / 10;
  return 10 ** -(text.split(".")[1]?.length ?? 0);
}

/** Whether a written result is what was computed from other written numbers, to its last digit. */
const agrees = (computed, text) => Math.abs(computed - read(text)) <= lastDigit(text) * (1 + 1e-9);

/** Decimals that a sum and its terms share: so many digits of the sum, and of its largest term one more at most. */
const sharedPlaces = (total, terms, digits) =>
  Math.min(places(total, digits), places(Math.max(0, ...terms.map(Math.abs)) || total, digits + 1));

/** A number with so many decimals. */
const fixed = (value, count, plus = false) =>
  count > MOST_PLACES ? significant(value, 2, plus) : signed(value.toFixed(count), plus);

/** Terms rounded so that their column adds up to the rounded total: what rounding loses goes to the subtotal of those not
 * listed, if there is one, else to the terms that it changes least, none by a whole last digit. */
function addingUp(terms, total, count, subtotal = -1) {
  if (count > MOST_PLACES) return terms;
  const unit = 10 ** -count;
  const rounded = terms.map((term) => Math.round(term / unit));
  const missing = Math.round(Number(total.toFixed(count)) / unit) - sum(rounded);
  if (terms[subtotal] * (rounded[subtotal] + missing) > 0) {
    rounded[subtotal] += missing;
    return rounded.map((number) => number * unit);
  }
  const lost = (at) => Math.sign(missing) * (terms[at] / unit - rounded[at]);
  const order = [...terms.keys()].sort((a, b) => lost(b) - lost(a));
  if (Math.abs(missing) <= terms.length) for (const at of order.slice(0, Math.abs(missing))) rounded[at] += Math.sign(missing);
  return rounded.map((number) => number * unit);
}

/** Two factors with as few digits as give the written product. */
const factors = (left, top, product, digits) =>
  firstTrue(
    digits,
    (count) => [left, top].map((value) => (Number.isInteger(value) ? signed(String(value)) : significant(value, count))),
    ([a, b]) => agrees(read(a) * read(b), product),
  );

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
