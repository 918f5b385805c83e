// Painting what stands still: cells, numbers, names, ticks, signs and colour scales.

/** The largest magnitude of a block of cells, sign kept; NaN only if all are masked. An average would hide it. */
function strongest(matrix, rows, columns) {
  let best = NaN;
  for (let row = rows[0]; row < rows[1]; row++) {
    for (let column = columns[0]; column < columns[1]; column++) {
      const value = matrix.at(row, column);
      if (!isMasked(value) && !(Math.abs(value) <= Math.abs(best))) best = value;
    }
  }
  return best;
}

/** A matrix as an image: one pixel a cell, or where cells are smaller than pixels, one a block of cells. */
function imageOf(box, theme, ratio) {
  const { matrix } = box;
  const width = Math.min(matrix.width, Math.max(1, Math.round((box.right - box.x) * ratio)));
  const height = Math.min(matrix.height, Math.max(1, Math.round((box.bottom - box.y) * ratio)));
  const kind = [width, height, theme.key].join();
  if (matrix.image?.kind === kind) return matrix.image;
  const image = document.createElement("canvas");
  Object.assign(image, { width, height, kind });
  const pixels = new ImageData(width, height);
  const words = new Uint32Array(pixels.data.buffer);
  const whole = width === matrix.width && height === matrix.height;
  const span = (k, count, size) => [
    Math.floor((k * size) / count),
    Math.max(Math.floor(((k + 1) * size) / count), Math.floor((k * size) / count) + 1),
  ];
  for (let k = 0; k < words.length; k++) {
    const value = whole
      ? matrix.values[k]
      : strongest(matrix, span(Math.floor(k / width), height, matrix.height), span(k % width, width, matrix.width));
    if (!isMasked(value)) words[k] = theme[matrix.scale][step(matrix, value)];
  }
  image.getContext("2d").putImageData(pixels, 0, 0);
  return (matrix.image = image);
}

/** Thin diagonal lines, the same in device pixels on every screen. */
function hatching(pen, theme, ratio) {
  const side = Math.round(6 * ratio);
  const tile = document.createElement("canvas");
  tile.width = tile.height = side;
  const lines = tile.getContext("2d");
  lines.strokeStyle = theme.faint;
  lines.lineWidth = ratio;
  for (const shift of [-side, 0, side]) {
    lines.beginPath();
    lines.moveTo(shift, side);
    lines.lineTo(shift + side, 0);
    lines.stroke();
  }
  const pattern = pen.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern;
}

function paintMask(pen, box, pattern) {
  const { matrix, x, y, cellWidth, cellHeight } = box;
  pen.fillStyle = pattern;
  for (let row = 0; row < matrix.height; row++) {
    for (let column = 0; column < matrix.width; column++) {
      const from = column;
      while (column < matrix.width && isMasked(matrix.at(row, column))) column++;
      if (column > from)
        pen.fillRect(x + from * cellWidth, y + row * cellHeight, (column - from) * cellWidth, cellHeight);
    }
  }
}

/** Hairlines of background between cells that are large enough to have edges. */
function paintGrid(pen, box, theme, ratio) {
  const hair = 1 / ratio;
  pen.fillStyle = theme.background;
  if (box.cellWidth >= 7)
    for (let k = 1; k < box.matrix.width; k++)
      pen.fillRect(box.x + k * box.cellWidth - hair, box.y, hair, box.bottom - box.y);
  if (box.cellHeight >= 7)
    for (let k = 1; k < box.matrix.height; k++)
      pen.fillRect(box.x, box.y + k * box.cellHeight - hair, box.right - box.x, hair);
}

/** A place on a whole pixel of the screen, where thin strokes stay sharp. */
const snapped = (place, ratio) => Math.round(place * ratio) / ratio;

function paintNumbers(pen, box, theme, ruler, ratio) {
  if (box.decimals === null) return;
  const { matrix } = box;
  pen.font = ruler.fonts[numberFont(box, ruler.rem)];
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (let row = 0; row < matrix.height; row++) {
    for (let column = 0; column < matrix.width; column++) {
      const value = matrix.at(row, column);
      const text = isMasked(value) ? "" : decimals(value, box.decimals);
      if (!text || (text === "0.0" && matrix.scale === "weight")) continue; // an empty cell says that as well
      pen.fillStyle = ink(cellColor(theme, matrix, value));
      pen.fillText(
        text,
        snapped(box.x + (column + 0.5) * box.cellWidth, ratio),
        snapped(box.y + (row + 0.53) * box.cellHeight, ratio),
      );
    }
  }
}

/** Coloured bands that say which columns (rows) belong to which head; the rest, if any, is pale. */
function paintBands(pen, box, theme, unit) {
  const hue = (role) => (role === "neutral" ? theme.faint : theme.role(role));
  let at = 0;
  for (const [role, width] of box.matrix.bands) {
    pen.fillStyle = hue(role);
    pen.fillRect(box.x + at * box.cellWidth, box.y - 6 * unit, width * box.cellWidth - 2, 4 * unit);
    at += width;
  }
  at = 0;
  for (const [role, width] of box.matrix.rowBands) {
    pen.fillStyle = hue(role);
    pen.fillRect(box.x - 6 * unit, box.y + at * box.cellHeight, 4 * unit, width * box.cellHeight - 2);
    at += width;
  }
}

const axesOf = ({ rowAxis, columnAxis }) => [rowAxis, columnAxis].filter(Boolean).join(" × ");
const titleOf = (matrix) => [matrix.size, axesOf(matrix)].filter(Boolean).join("  ");
const titleWidth = (matrix, ruler) =>
  ruler.width("name", matrix.name) + 0.5 * ruler.rem + ruler.width("size", titleOf(matrix));

/** The matrix's name in its colour with its size: in a line that starts or ends at a point, or one below the other. */
function paintName(pen, box, theme, ruler) {
  const { matrix } = box;
  const { size } = matrix;
  const [x, y, stand, beyond = 4 * ruler.rem] = box.name; // how far its size may reach over the matrix's right edge
  const axes = axesOf(matrix);
  const write = (font, color, text, at, line = y) => {
    pen.font = ruler.fonts[font];
    pen.fillStyle = color;
    pen.fillText(text, at, line);
  };
  pen.textBaseline = "alphabetic";
  pen.textAlign = stand === "above" ? "left" : "right";
  if (stand === "beside" && box.bottom - box.y > 2 * ruler.rem) {
    write("name", theme.letters(matrix.role), matrix.name, x);
    write("size", theme.soft, size, x, y + 1.15 * ruler.rem);
    if (axes && box.bottom - y > 2.6 * ruler.rem) write("size", theme.soft, axes, x, y + 2.3 * ruler.rem);
    return;
  }
  const space = 0.5 * ruler.rem;
  if (stand !== "above") {
    const [before, wide] = [ruler.width("size", size) + space, ruler.width("name", matrix.name)];
    const end = Math.max(x, before + wide + 2); // a long one begins at the picture's edge
    write("size", theme.soft, size, end);
    write("name", theme.letters(matrix.role), matrix.name, end - before);
    return;
  }
  const nameWidth = ruler.width("name", matrix.name) + space;
  const edge = pen.canvas.width / pen.getTransform().a;
  const start = Math.min(x, edge - nameWidth); // the name of a narrow last matrix would leave the picture
  write("name", theme.letters(matrix.role), matrix.name, start);
  const room = box.right - start - nameWidth;
  const fits = (text) => {
    const width = ruler.width("size", text);
    return width <= room + (text === size ? beyond : 0) && start + nameWidth + width <= edge;
  };
  const said = [titleOf(matrix), size].find(fits);
  if (said) write("size", theme.soft, said, start + nameWidth);
}

const signFont = (part) => (part.length === 1 ? "symbol" : "sign");

function paintSign(pen, sign, theme, ruler) {
  pen.fillStyle = theme.text;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const [word, arrow] = sign.parts;
  pen.font = ruler.fonts[signFont(word)];
  pen.fillText(word, sign.x, sign.y - (arrow ? 0.7 * ruler.rem : 0));
  if (!arrow) return;
  const [from, to] = [sign.x - sign.width / 2, sign.x + sign.width / 2];
  pen.strokeStyle = theme.text;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(from, sign.y + 0.3 * ruler.rem);
  pen.lineTo(to, sign.y + 0.3 * ruler.rem);
  for (const up of [-4, 4]) {
    pen.moveTo(to - 5, sign.y + 0.3 * ruler.rem + up);
    pen.lineTo(to, sign.y + 0.3 * ruler.rem);
  }
  pen.stroke();
}

/** Everything that does not follow the pointer. */
function paintStill(pen, picture, theme, ruler, ratio) {
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, picture.width, picture.height);
  pen.imageSmoothingEnabled = false;
  const pattern = hatching(pen, theme, ratio);
  for (const box of picture.boxes) {
    pen.drawImage(imageOf(box, theme, ratio), box.x, box.y, box.right - box.x, box.bottom - box.y);
    if (box.matrix.hasMask) paintMask(pen, box, pattern);
    paintGrid(pen, box, theme, ratio);
    pen.strokeStyle = theme.faint;
    pen.lineWidth = 1 / ratio;
    pen.strokeRect(box.x - 0.5 / ratio, box.y - 0.5 / ratio, box.right - box.x, box.bottom - box.y);
    paintNumbers(pen, box, theme, ruler, ratio);
    paintBands(pen, box, theme, ruler.unit);
    paintName(pen, box, theme, ruler);
  }
  for (const sign of picture.signs) paintSign(pen, sign, theme, ruler);
  for (const part of picture.legend) paintScale(pen, part, theme, ruler, pattern);
}
