// Sizes of text, and the room that a matrix needs around its cells.

const SHORT = 0.5; // decimals of a cell's number that has one below ten, and none above
const NUMBERED = 42; // px at the base size: a cell so wide holds a number with a sign and two decimals
const NAMED = 14.2; // px at the base size: rows so high can all have names, whatever rounding to pixels takes away
const ROOMY = 72; // px at the base size: cells grow no further
const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]|\p{Extended_Pictographic}/u;

/** Text cut to fourteen columns of a monospaced face, of which a Chinese character takes two. */
function shorten(text) {
  let [room, kept] = [14, ""];
  for (const character of text) {
    room -= WIDE.test(character) ? 2 : 1;
    if (room < 0) return kept + "…";
    kept += character;
  }
  return kept;
}

/** An axis's labels as they are drawn; those of one name are told apart by their places, but for padding at the end. */
function named(matrix, axis) {
  const labels = matrix[axis];
  const padded = labels.findLastIndex((label) => label !== labels.at(-1)) + 1;
  return labels.map((label, place) => {
    const isPadding = place >= padded && padded < labels.length - 1;
    return shorten(label) + (isPadding ? "" : labelOf(matrix, axis, place).text.slice(label.length));
  });
}

/** Faces and widths for a root font size of `rem` px; `unit` is one px of the base size, 17. */
function makeRuler(pen, theme, rem, ratio) {
  const small = `${0.75 * rem}px`;
  const fonts = {
    label: `${small} ${theme.mono}`,
    litLabel: `700 ${small} ${theme.mono}`,
    number: `${small} ${theme.font}`,
    largeNumber: `${0.94 * rem}px ${theme.font}`,
    name: `700 ${0.92 * rem}px ${theme.font}`,
    size: `${0.79 * rem}px ${theme.font}`,
    sign: `${1.05 * rem}px ${theme.font}`,
    symbol: `${1.5 * rem}px ${theme.font}`, // a sign of one character, such as +
  };
  const width = (font, text) => ((pen.font = fonts[font]), pen.measureText(text).width);
  return {
    fonts,
    width,
    rem,
    unit: rem / 17,
    /** Whole device pixels for cells that are large enough not to mind. */
    snap: (size) => (size >= 7 ? Math.floor(size * ratio) / ratio : size),
    widest: (labels) => Math.max(0, ...labels.map((label) => width("litLabel", label))),
  };
}

/** What a cell's number is written in. */
const numberFont = ({ cellWidth, cellHeight }, rem) =>
  cellWidth >= 3 * rem && cellHeight >= 1.8 * rem ? "largeNumber" : "number";

/** Decimals that a matrix's cells can hold (2, 1, or 1 for numbers below ten alone), null when none. */
function decimalsFor({ matrix, cellWidth, cellHeight }, { width, rem, unit }) {
  if (cellHeight < rem || cellWidth < 1.4 * rem) return null;
  const largest = matrix.values.reduce((most, value) => (isMasked(value) ? most : Math.max(most, Math.abs(value))), 0);
  const sign = matrix.scale === "signed" ? MINUS : "";
  const needed = (text) => width(numberFont({ cellWidth, cellHeight }, rem), sign + text) + 5 * unit;
  if (cellWidth >= Math.max(34 * unit, needed(largest.toFixed(2)))) return 2;
  if (cellWidth >= needed(largest.toFixed(1))) return 1;
  return largest < 99.5 && cellWidth >= Math.max(needed("99"), needed("9.9")) ? SHORT : null;
}

/** The room around a matrix's cells: at its left and above, for labels or ticks and for bands. */
function margins(matrix, modes, angle, ruler, roomWidth) {
  const { unit, rem } = ruler;
  const labels = { rows: named(matrix, "rows"), columns: named(matrix, "columns") };
  const widest = modes.rows && labels.rows.length ? ruler.widest(labels.rows) + 9 * unit : 0;
  const aside = { labels: widest, ticks: Math.max((widest ? 2.7 : 2.1) * rem, Math.min(widest, 0.13 * roomWidth)) }[modes.rows] ?? 0;
  const above =
    { labels: ruler.widest(labels.columns) * Math.sin(angle) + 0.9 * rem, ticks: 1.15 * rem }[modes.columns] ?? 0;
  return {
    labels,
    aside,
    above,
    left: aside + bandRoom(matrix.rowBands, unit),
    top: above + bandRoom(matrix.bands, unit),
  };
}

const bandRoom = (bands, unit) => (bands.length ? 7 * unit : 0);

/** How far the last slanted labels lean out over the right edge. */
function lean(labels, cellWidth, angle, ruler) {
  const out = labels.map(
    (label, k) => ruler.width("litLabel", label) * Math.cos(angle) - (labels.length - k - 0.5) * cellWidth,
  );
  return Math.max(2, ...out.map((width) => width + 0.6 * ruler.rem));
}

/** Work sizes out, and again while they change which names fit or how steeply these have to rise. */
function settle(matrices, rem, solve) {
  const labelled = (axis) => matrices.some((matrix) => matrix[axis].length);
  const isLegible = (size, axis) => size >= (LEGIBLE[axis] * rem) / 17;
  const apart = apartFor(matrices.flatMap((matrix) => matrix.columns), rem);
  let fits = { rows: labelled("rows"), columns: labelled("columns"), angle: Math.PI / 4 };
  for (let tries = 0; tries < 6; tries++) {
    const sizes = solve(fits);
    const steep = tilt(sizes.cellWidth, apart);
    const next = {
      rows: fits.rows && isLegible(sizes.cellHeight, "rows"),
      columns: fits.columns && isLegible(sizes.cellWidth, "columns"),
      angle: fits.angle < steep ? steep : (fits.angle + steep) / 2,
    };
    const isSteep = fits.angle >= steep && fits.angle - steep < 0.1;
    if (next.rows === fits.rows && next.columns === fits.columns && (isSteep || !fits.columns)) return sizes;
    fits = next;
  }
  return solve(fits);
}

const place = (matrix, x, y, cellWidth, cellHeight, more) => ({
  matrix,
  x,
  y,
  cellWidth,
  cellHeight,
  right: x + matrix.width * cellWidth,
  bottom: y + matrix.height * cellHeight,
  ...more,
});

/** The widest a cell of some height may be: half as wide again (small ones more), or as a number with two decimals. */
const widestCell = (cellHeight, { rem, unit }) =>
  Math.max(1.5 * cellHeight, cellHeight >= rem ? NUMBERED * unit : Math.min(2.5 * cellHeight, 15 * unit), 4);
