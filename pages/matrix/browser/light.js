// Painting what follows the pointer: labels, lit rows, columns and cells, and the lines that join them.

/** Sparse numbers along an axis whose labels do not fit, but for those that would touch a lit label. */
function paintTicks(pen, box, lit, theme, ruler) {
  const { matrix, modes, cellWidth, cellHeight } = box;
  const { rem, unit } = ruler;
  const every = (size, room) => [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].find((n) => n * size >= room) ?? 2048;
  pen.font = ruler.fonts.number;
  pen.fillStyle = theme.soft;
  if (modes.rows === "ticks") {
    pen.textAlign = "right";
    const isFree = (row) => !lit?.rows.some((one) => Math.abs(one - row) * cellHeight < 1.05 * rem);
    for (let row = 0; row < matrix.height; row += every(cellHeight, 2 * rem))
      if (isFree(row)) pen.fillText(String(row + matrix.offset[0]), aside(box, unit), box.y + (row + 0.5) * cellHeight);
  }
  if (modes.columns === "ticks") {
    pen.textAlign = "center";
    const half = (font, text) => ruler.width(font, text) / 2 + 0.15 * rem;
    const litAt = Number.isInteger(lit?.column) ? lit.column : null;
    const litHalf = litAt === null ? 0 : half("litLabel", columnLabel(box, litAt));
    for (let column = 0; column < matrix.width; column += every(cellWidth, 2.6 * rem)) {
      const text = String(column + matrix.offset[1]);
      const isFree = litAt === null || Math.abs(litAt - column) * cellWidth > litHalf + half("number", text);
      pen.font = ruler.fonts.number;
      if (isFree) pen.fillText(text, box.x + (column + 0.5) * cellWidth, over(box, ruler));
    }
  }
}

/** Where row labels end and where level column labels stand. */
const aside = (box, unit) => box.x - bandRoom(box.matrix.rowBands, unit) - 6 * unit;
const over = (box, { unit, rem }) => box.y - bandRoom(box.matrix.bands, unit) - 0.6 * rem;
const columnLabel = ({ labels, matrix }, column) => labels.columns[column] ?? String(column + matrix.offset[1]);

/** A label, bold and in its role's colour when lit. */
function paintLabel(pen, text, isLit, color, theme, ruler) {
  pen.font = isLit ? ruler.fonts.litLabel : ruler.fonts.label;
  pen.fillStyle = isLit ? color : theme.soft;
  pen.fillText(text, 0, 0);
}

/** Row labels at the left of a matrix; where they do not fit, only the lit ones, cut to the room there is. */
function paintRowLabels(pen, box, lit, theme, ruler) {
  const { matrix, labels, modes } = box;
  const alone = modes.rows !== "labels";
  const cut = (text) => {
    while (alone && text.length > 2 && ruler.width("litLabel", text) > box.aside - 8 * ruler.unit)
      text = text.slice(0, -2) + "…";
    return text;
  };
  pen.textAlign = "right";
  for (const row of alone ? (lit?.rows ?? []) : labels.rows.keys()) {
    pen.save();
    pen.translate(aside(box, ruler.unit), box.y + (row + 0.5) * box.cellHeight);
    const text = labels.rows[row] ?? String(row + matrix.offset[0]);
    paintLabel(pen, cut(text), lit?.rows.includes(row), theme.role(matrix.rowRole), theme, ruler);
    pen.restore();
  }
}

/** Column labels, slanted above a matrix; where they do not fit, only the lit one, level. */
function paintColumnLabels(pen, box, lit, theme, ruler, width) {
  const { matrix, labels, modes } = box;
  const alone = modes.columns !== "labels";
  pen.textAlign = alone ? "center" : "left";
  for (const column of alone ? [lit?.column].filter(Number.isInteger) : labels.columns.keys()) {
    const text = columnLabel(box, column);
    const half = alone ? ruler.width("litLabel", text) / 2 + 2 : 0;
    const x = Math.max(half, Math.min(width - half, box.x + (column + 0.5) * box.cellWidth));
    pen.save();
    pen.translate(x, over(box, ruler) + (alone ? 0 : 0.1 * ruler.rem));
    if (!alone) pen.rotate(-box.angle);
    paintLabel(pen, text, lit?.column === column, theme.role(matrix.columnRole), theme, ruler);
    pen.restore();
  }
}

/** The labels of a matrix. Among small multiples without room for labels, only the pointed one names its cell. */
function paintLabels(pen, box, lit, isPointed, inLine, theme, ruler, width) {
  const { modes } = box;
  const rows = modes.rows === "labels" || inLine ? lit : null;
  const column = modes.columns === "labels" || isPointed ? lit : null;
  pen.textBaseline = "middle";
  paintTicks(pen, box, { rows: rows?.rows ?? [], column: column?.column }, theme, ruler);
  if (modes.rows) paintRowLabels(pen, box, rows, theme, ruler);
  if (modes.columns) paintColumnLabels(pen, box, column, theme, ruler, width);
}

/** An outline that shows on any colour: a line of background around and inside a line of the role's colour. */
function outline(pen, theme, color, x, y, width, height, thick) {
  const line = (style, weight) => {
    pen.strokeStyle = style;
    pen.lineWidth = weight;
    pen.strokeRect(x, y, width, height);
  };
  pen.lineJoin = "round";
  line(theme.veil, thick + 2);
  line(color, thick);
}

const rowFrame = (box, row) => [box.x, box.y + row * box.cellHeight, box.right - box.x, box.cellHeight];
const columnFrame = (box, column) => [box.x + column * box.cellWidth, box.y, box.cellWidth, box.bottom - box.y];
/** A cell's frame, never smaller than the eye can find. */
function cellFrame(box, row, column) {
  const [width, height] = [Math.max(box.cellWidth, 5), Math.max(box.cellHeight, 5)];
  return [
    box.x + (column + 0.5) * box.cellWidth - width / 2,
    box.y + (row + 0.5) * box.cellHeight - height / 2,
    width,
    height,
  ];
}

function paintLit(pen, box, lit, theme) {
  const { matrix } = box;
  const rowColor = theme.role(matrix.rowRole);
  const columnColor = theme.role(matrix.columnRole);
  if (lit.bar === "row") for (const row of lit.rows) outline(pen, theme, rowColor, ...rowFrame(box, row), 2);
  if (lit.bar === "column") outline(pen, theme, columnColor, ...columnFrame(box, lit.column), 2);
  if (lit.bar === "cross") {
    outline(pen, theme, rowColor, ...rowFrame(box, lit.rows[0]), 1.25);
    outline(pen, theme, columnColor, ...columnFrame(box, lit.column), 1.25);
  }
  if (lit.column === null) return;
  for (const row of lit.rows) {
    outline(
      pen,
      theme,
      lit.bar === "cell" ? theme.role(matrix.role) : theme.text,
      ...cellFrame(box, row, lit.column),
      lit.bar === "cross" ? 2.5 : 2,
    );
  }
}

/** In a product, dashes from the lit row and column of the operands to the result. */
function paintJoins(pen, scene, picture, lit, theme) {
  if (scene.kind !== "product") return;
  const [left, top, result] = picture.boxes;
  const dash = (color, x1, y1, x2, y2) => {
    pen.strokeStyle = color;
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
  };
  pen.save();
  pen.setLineDash([3, 3]);
  pen.lineWidth = 1.5;
  if (lit[0]) {
    const y = result.y + (lit[0].rows[0] + 0.5) * result.cellHeight;
    dash(theme.role(left.matrix.role), left.right + 2, y, result.x - 2, y);
  }
  if (lit[1]) {
    const x = result.x + (lit[1].column + 0.5) * result.cellWidth;
    dash(theme.role(top.matrix.role), x, top.bottom + 2, x, result.y - 2);
  }
  pen.restore();
}

/** Everything that follows the pointer, `strength` of the way through its fade. */
function paintLight(pen, scene, picture, point, selected, strength, theme, ruler, ratio) {
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, picture.width, picture.height);
  const lit = lights(scene, point);
  for (const box of picture.boxes) {
    const labelled = scene.kind === "product" ? lightOfProductLabels(box.matrix.index, lit) : lit[box.matrix.index];
    const pointed = picture.boxes[point.matrix];
    const free = scene.kind === "product";
    paintLabels(
      pen,
      box,
      labelled,
      free || box === pointed,
      free || box.line === pointed.line,
      theme,
      ruler,
      picture.width,
    );
  }
  if (
    selected &&
    !(selected.matrix === point.matrix && selected.row === point.row && selected.column === point.column)
  ) {
    const box = picture.boxes[selected.matrix];
    outline(pen, theme, theme.soft, ...cellFrame(box, selected.row, selected.column), 1.5);
  }
  pen.globalAlpha = strength;
  paintJoins(pen, scene, picture, lit, theme);
  for (const box of picture.boxes) if (lit[box.matrix.index]) paintLit(pen, box, lit[box.matrix.index], theme);
  pen.globalAlpha = 1;
}

/** A product's row labels stand at the left operand and its column labels over the top one. */
function lightOfProductLabels(index, lit) {
  if (index === 0) return lit[0] && { rows: lit[0].rows, column: null };
  if (index === 1)
    return (
      lit[1] && { rows: lit[1].column !== null && lit[1].bar === "column" ? lit[1].rows : [], column: lit[1].column }
    );
  return null;
}

/** The five columns by three or five rows around a cell, as numbers. */
function paintLens(canvas, box, point, theme, ruler, ratio, lines) {
  const { matrix } = box;
  const side = 5;
  const width = 11.5 * ruler.rem;
  const [cellWidth, cellHeight] = [width / side, 1.3 * ruler.rem];
  canvas.width = width * ratio;
  canvas.height = cellHeight * lines * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${cellHeight * lines}px`;
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  const pattern = hatching(pen, theme, ratio);
  const first = (place, count, shown) => Math.max(0, Math.min(place - (shown - 1) / 2, count - shown));
  const [top, left] = [first(point.row, matrix.height, lines), first(point.column, matrix.width, side)];
  pen.font = ruler.fonts.number;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (let row = 0; row < Math.min(lines, matrix.height); row++) {
    for (let column = 0; column < Math.min(side, matrix.width); column++) {
      const value = matrix.at(top + row, left + column);
      const frame = [column * cellWidth, row * cellHeight, cellWidth - 1, cellHeight - 1];
      if (isMasked(value)) {
        pen.fillStyle = pattern;
        pen.fillRect(...frame);
        continue;
      }
      const color = cellColor(theme, matrix, value);
      pen.fillStyle = `rgb(${color})`;
      pen.fillRect(...frame);
      pen.fillStyle = ink(color);
      const count = [2, 1, 0].find((n) => pen.measureText(decimals(value, n)).width < cellWidth - 4) ?? 0;
      pen.fillText(decimals(value, count), frame[0] + cellWidth / 2, frame[1] + cellHeight * 0.52);
    }
  }
  outline(
    pen,
    theme,
    theme.text,
    (point.column - left) * cellWidth + 1,
    (point.row - top) * cellHeight + 1,
    cellWidth - 3,
    cellHeight - 3,
    2,
  );
}
