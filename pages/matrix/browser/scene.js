// The scene: decoded matrices, and which cells belong together.

/** The matrices of new data; numbers that did not change keep their decoded array (and so their painted image). */
function decodeScene(data, before) {
  const matrices = data.matrices.map((given, index) => {
    const old = before?.matrices[index];
    const same =
      old &&
      old.encoded === given.values &&
      old.limit === given.limit &&
      old.scale === given.scale &&
      old.height === given.shape[0];
    return {
      ...given,
      index,
      encoded: given.values,
      values: same ? old.values : decode(given.values),
      image: same ? old.image : undefined,
      hasMask: same ? old.hasMask : undefined,
      height: given.shape[0],
      width: given.shape[1],
    };
  });
  for (const matrix of matrices) {
    matrix.at = (row, column) => matrix.values[row * matrix.width + column];
    matrix.hasMask ??= matrix.values.some(isMasked);
  }
  if (data.kind === "product") {
    const [left, top, result] = matrices;
    result.rowRole ??= left.role;
    result.columnRole ??= top.role;
    if (!result.rows.length) result.rows = left.rows;
    if (!result.columns.length) result.columns = top.columns;
    result.whole ??= [left.whole?.[0] ?? left.height, top.whole?.[1] ?? top.width];
    result.offset = [left.offset[0], top.offset[1]];
  }
  for (const matrix of matrices) {
    matrix.rowRole ??= matrix.role;
    matrix.columnRole ??= matrix.role;
    matrix.whole ??= matrix.shape;
    matrix.size = matrix.told || sizeOf(matrix, data.parts);
  }
  return { ...data, matrices, bias: data.bias && decode(data.bias) };
}

/** A matrix's size as it is written, "16 × 64"; of a part also the whole, "64 × 16 of 256 columns". */
function sizeOf({ shape, whole }, parts) {
  const side = (shown, place) => {
    const words = { shown, whole: whole[place].toLocaleString("en") };
    return shown === whole[place] ? String(shown) : parts[place].replace(/\{(\w+)\}/g, (_, name) => words[name]);
  };
  return shape.map(side).join(" × ");
}

/** The label of a row (or column), with its place when the label is not the only one of its kind. */
function labelOf(matrix, axis, place) {
  const labels = matrix[axis];
  const offset = matrix.offset[axis === "rows" ? 0 : 1];
  if (!labels.length) return { text: String(place + offset), token: false };
  const repeated = labels.indexOf(labels[place]) !== labels.lastIndexOf(labels[place]);
  return { text: labels[place] + (repeated ? inDigits(String(place + offset), SUBSCRIPTS) : ""), token: true };
}

const inside = (matrix, row, column) => row >= 0 && column >= 0 && row < matrix.height && column < matrix.width;

/** A cell of a matrix → its [i, j] in the scene's coordinates; a product's are its result's, null where it has none. */
function coordinates(scene, { matrix, row, column }) {
  const { link, offset } = scene.matrices[matrix];
  if (scene.kind === "product") return [matrix === 1 ? null : row, matrix === 0 ? null : column];
  const [i, j] = [row + offset[0], column + offset[1]];
  if (link === "transposed") return [j, i];
  if (link !== "lookup") return [i, j];
  const first = scene.readout.index.indexOf(i);
  return [first < 0 ? null : first, j];
}

/** Which rows of the scene a pointed cell stands for: one, or every row that was looked up in that row of a table. */
function sharedRows(scene, { matrix, row }, i) {
  const { link, offset } = scene.matrices[matrix];
  if (link === "lookup") return scene.readout.index.flatMap((from, at) => (from === row + offset[0] ? [at] : []));
  return i === null ? [] : [i];
}

/** What a matrix lights of the shared rows and column: {rows, column, bar} or null. */
function lightIn(scene, matrix, rows, column) {
  const { link, offset } = matrix;
  if (link === "none") return null;
  if (link === "lookup") rows = rows.map((i) => scene.readout.index[i]);
  if (link === "transposed") [rows, column] = [column === null ? [] : [column], rows[0] ?? null];
  if (link === "row") column = null;
  if (link === "column") rows = [];
  const local = rows.map((i) => i - offset[0]).filter((row) => row >= 0 && row < matrix.height);
  if (rows.length && !local.length) return null;
  if (column === null) return local.length ? { rows: local, column: null, bar: "row" } : null;
  column -= offset[1];
  if (column < 0 || column >= matrix.width) return null;
  return { rows: local, column, bar: local.length ? "cell" : "column" };
}

/** What one pointed cell lights up: for each matrix null or {rows, column, bar}, bar being "cell", "row" or "column". */
function lights(scene, point) {
  const { row, column, matrix } = point;
  if (scene.kind === "product") {
    const rowBar = { rows: [row], column: null, bar: "row" };
    const columnBar = { rows: [], column, bar: "column" };
    const cell = { rows: [row], column, bar: "cell" };
    if (matrix === 0) return [{ ...cell, bar: "row" }, null, rowBar];
    if (matrix === 1) return [null, { ...cell, bar: "column" }, columnBar];
    return [rowBar, columnBar, { ...cell, bar: "cross" }];
  }
  const { link } = scene.matrices[matrix];
  const [i, j] = link === "none" ? [null, null] : coordinates(scene, point);
  const rows = link === "column" ? [] : sharedRows(scene, point, i);
  return scene.matrices.map((other) => {
    const lit = lightIn(scene, other, rows, link === "row" ? null : j);
    return other.index === matrix ? { rows: [row], column, bar: lit?.bar ?? "cell" } : lit;
  });
}

/** The cell of a matrix that the scene's (i, j) names, or null. */
function cellOf(scene, index, i, j) {
  const matrix = scene.matrices[index];
  if (scene.kind === "product")
    return index === 2 && inside(matrix, i, j) ? { matrix: index, row: i, column: j } : null;
  if (matrix.link === "transposed") [i, j] = [j, i];
  if (matrix.link === "lookup") i = scene.readout.index[i] ?? -1;
  const [row, column] = [i - matrix.offset[0], j - matrix.offset[1]];
  return inside(matrix, row, column) ? { matrix: index, row, column } : null;
}

/** The point that stands for a selection: in the matrix it was made in if that holds it, else the first that does. */
function pointOf(scene, [i, j], preferred) {
  const order = [preferred, scene.readout.result, ...scene.matrices.keys()].filter((index) => index in scene.matrices);
  for (const index of order) {
    const cell = cellOf(scene, index, i, j);
    if (cell) return cell;
  }
  const { height, width, index } = scene.matrices[scene.readout.result];
  return { matrix: index, row: Math.min(Math.max(0, i), height - 1), column: Math.min(Math.max(0, j), width - 1) };
}
