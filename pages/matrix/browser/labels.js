// Names and numbers along a matrix's axes. None touches another: of too many, every n-th stands, and always the lit ones.

const LEGIBLE = { rows: 5.5, columns: 7 }; // px at the base size: names of smaller cells give way to sparse numbers
const NUMBERS = { rows: 2, columns: 2.6 }; // rem from one number to the next

/** Px from one line of names to the next; Chinese characters are taller. */
const apartFor = (names, rem) => (names.some((name) => WIDE.test(name)) ? 0.88 : 0.76) * rem;

/** Every how many-th cell of some size along an axis has room for its name. */
const everyNth = (size, apart) => Math.ceil(apart / size - 1e-6);

/** The angle of column names: 45°, steeper over narrow columns so that neighbours never touch. */
const tilt = (cellWidth, apart) =>
  Math.asin(Math.min(1, Math.max(Math.SQRT1_2, apart / (cellWidth * everyNth(cellWidth, apart)))));

/** How a matrix names an axis: by its names, by sparse numbers, or not at all. */
function axisMode(matrix, axis, fits) {
  const place = axis === "rows" ? 0 : 1;
  if (matrix[axis].length && fits) return "labels";
  const isPart = matrix.whole[place] !== matrix.shape[place];
  return matrix[axis].length || matrix.shape[place] > 16 || isPart ? "ticks" : null;
}

/** The places of an axis that get a text: the lit ones first, then every n-th that stays clear of those before it. */
function spread(lit, count, every, apart) {
  const kept = [];
  const stepped = Array.from({ length: Math.ceil(count / every) }, (_, k) => k * every);
  for (const place of [...lit, ...stepped])
    if (kept.every((other) => Math.abs(other - place) >= apart - 1e-6)) kept.push(place);
  return kept;
}

/** The step of sparse numbers: a power of two. */
const sparse = (axis, size, rem) => 2 ** Math.max(0, Math.ceil(Math.log2((NUMBERS[axis] * rem) / size)));

/** Where row texts end and where level column texts stand. */
const aside = (box, unit) => box.x - bandRoom(box.matrix.rowBands, unit) - 6 * unit;
const over = (box, { unit, rem }) => box.y - bandRoom(box.matrix.bands, unit) - 0.6 * rem;

const textOf = ({ labels, matrix }, axis, place) =>
  labels[axis][place] ?? String(place + matrix.offset[axis === "rows" ? 0 : 1]);
const numberOf = ({ matrix }, axis, place) => String(place + matrix.offset[axis === "rows" ? 0 : 1]);

/** The texts at a matrix's left; a lit name among numbers is cut to the room there is. */
function rowTexts(box, lit, ruler) {
  const { unit, rem } = ruler;
  const isNamed = box.modes.rows === "labels";
  const cut = (text) => {
    while (!isNamed && text.length > 2 && ruler.width("litLabel", text) > box.aside - 8 * unit)
      text = text.slice(0, -2) + "…";
    return text;
  };
  const apart = apartFor(box.labels.rows, rem);
  const every = isNamed ? everyNth(box.cellHeight, apart) : sparse("rows", box.cellHeight, rem);
  return spread(lit, box.matrix.height, every, apart / box.cellHeight).map((row) => ({
    text: lit.includes(row) || isNamed ? cut(textOf(box, "rows", row)) : numberOf(box, "rows", row),
    font: lit.includes(row) ? "litLabel" : isNamed ? "label" : "number",
    role: lit.includes(row) ? box.matrix.rowRole : null,
    x: aside(box, unit),
    y: box.y + (row + 0.5) * box.cellHeight,
    align: "right",
    angle: 0,
  }));
}

/** Slanted names above a matrix. */
function slantedTexts(box, lit, ruler) {
  const { cellWidth, angle, matrix } = box;
  const apart = apartFor(box.labels.columns, ruler.rem);
  const clear = apart / (cellWidth * Math.sin(angle));
  return spread(lit, matrix.width, everyNth(cellWidth, apart), clear).map((column) => ({
    text: textOf(box, "columns", column),
    font: lit.includes(column) ? "litLabel" : "label",
    role: lit.includes(column) ? matrix.columnRole : null,
    x: box.x + (column + 0.5) * cellWidth,
    y: over(box, ruler) + 0.1 * ruler.rem,
    align: "left",
    angle: -angle,
  }));
}

/** Level numbers above a matrix, and the lit column's name wherever it needs its room. */
function levelTexts(box, lit, ruler, width) {
  const { rem } = ruler;
  const [kept, half] = [[], (text) => ruler.width(text.font, text.text) / 2];
  for (const column of spread(lit, box.matrix.width, sparse("columns", box.cellWidth, rem), 1)) {
    const isLit = lit.includes(column);
    const text = {
      text: isLit ? textOf(box, "columns", column) : numberOf(box, "columns", column),
      font: isLit ? "litLabel" : "number",
      role: isLit ? box.matrix.columnRole : null,
      y: over(box, ruler),
      align: "center",
      angle: 0,
    };
    const at = box.x + (column + 0.5) * box.cellWidth;
    text.x = Math.max(half(text) + 2, Math.min(width - half(text) - 2, at));
    if (kept.every((one) => Math.abs(one.x - text.x) >= half(one) + half(text) + 0.3 * rem)) kept.push(text);
  }
  return kept;
}

/** All texts along a matrix's axes; `width` is the picture's. */
function axisTexts(box, lit, ruler, width) {
  const columns = Number.isInteger(lit.column) ? [lit.column] : [];
  const above = { labels: slantedTexts, ticks: levelTexts }[box.modes.columns];
  return [...(box.modes.rows ? rowTexts(box, lit.rows, ruler) : []), ...(above?.(box, columns, ruler, width) ?? [])];
}

/** Texts along the axes, soft, or in their role's colour when lit. */
function paintTexts(pen, texts, theme, ruler) {
  pen.textBaseline = "middle";
  for (const { text, font, role, x, y, align, angle } of texts) {
    pen.save();
    pen.font = ruler.fonts[font];
    pen.fillStyle = role ? theme.letters(role) : theme.soft;
    pen.textAlign = align;
    pen.translate(x, y);
    pen.rotate(angle);
    pen.fillText(text, 0, 0);
    pen.restore();
  }
}
