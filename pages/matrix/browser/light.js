// Painting what follows the pointer: labels, lit rows, columns and cells, and the lines that join them.

const SMALL_MULTIPLES = 6; // so many matrices and more

/** The texts along a matrix's axes. Among small multiples without room for names, only the pointed one names its cell. */
function paintLabels(pen, box, lit, isPointed, inLine, theme, ruler, width) {
  const rows = box.modes.rows === "labels" || inLine ? (lit?.rows ?? []) : [];
  const column = box.modes.columns === "labels" || isPointed ? lit?.column : null;
  paintTexts(pen, axisTexts(box, { rows, column }, ruler, width), theme, ruler);
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
  const isFew = picture.boxes.length < SMALL_MULTIPLES;
  for (const box of picture.boxes) {
    const labelled = scene.kind === "product" ? lightOfProductLabels(box.matrix.index, lit) : lit[box.matrix.index];
    const pointed = picture.boxes[point.matrix];
    const free = scene.kind === "product";
    paintLabels(
      pen,
      box,
      labelled,
      free || isFew || box === pointed,
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
      const count = [2, 1, 0].find((n) => pen.measureText(decimals(value, n)).width < cellWidth - 8) ?? 0;
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
