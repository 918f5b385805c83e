// Numbers: how they arrive, and how they are written.

const MINUS = "\u2212";
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";

const inDigits = (text, digits) =>
  text.replace(/\d/g, (d) => digits[d]).replace("-", digits === SUPERSCRIPTS ? "⁻" : "₋");

/** base64 of little-endian float32 → Float32Array. */
function decode(text) {
  if (Uint8Array.fromBase64) return new Float32Array(Uint8Array.fromBase64(text).buffer);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) bytes[k] = binary.charCodeAt(k);
  return new Float32Array(bytes.buffer);
}

const isMasked = (value) => !Number.isFinite(value);

function signed(text, plus) {
  if (text.startsWith("-")) return Number(text) === 0 ? text.slice(1) : MINUS + text.slice(1);
  return plus && Number(text) !== 0 ? "+" + text : text;
}

/** A matrix's number with so many digits; a share that is masked (NaN) counts as 0, a masked score is −∞. */
const spell = (matrix, value, digits, plus = matrix.scale === "signed") =>
  Number.isNaN(value) || (isMasked(value) && matrix.scale === "weight") ? "0" : significant(value, digits, plus);

/** A number with so many significant digits: −0.7754, +12.30, 3.1·10⁻⁶. An infinity is −∞ or ∞. */
function significant(value, digits, plus = false) {
  if (isMasked(value)) return value === Infinity ? "∞" : MINUS + "∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(1).split("e");
    return `${signed(mantissa, plus)}·10${inDigits(String(Number(exponent)), SUPERSCRIPTS)}`;
  }
  return signed(value.toFixed(places(value, digits)), plus);
}

/** How many decimals make so many significant digits. */
function places(value, digits) {
  if (value === 0) return digits;
  const power = Math.floor(Math.log10(Math.abs(value)));
  return Math.max(0, digits - 1 - (power < 0 ? Math.min(power, -1) : power));
}

/** A number for a cell: so many decimals, no plus. SHORT: two digits, 7.5 or 12. */
const decimals = (value, count) =>
  signed(value.toFixed(count === SHORT ? Number(Math.abs(value) < 9.95) : count), false);

/** The limit of a colour scale, as short as it can be said. */
const brief = (value, plus = false) =>
  Number.isInteger(value) ? signed(String(value), plus) : significant(value, Math.abs(value) < 0.1 ? 2 : 3, plus);

/** What a written number says. */
const read = (text) =>
  Number(
    text
      .replace("+", "")
      .replaceAll(MINUS, "-")
      .replace(/·10(.+)/, (_, power) => "e" + power.replace("⁻", "-").replace(/[⁰-⁹¹²³]/g, (d) => SUPERSCRIPTS.indexOf(d))),
  );
