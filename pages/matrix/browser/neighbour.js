// Where an arrow key leads.

/** One step on the matrix, or over its edge onto the nearest matrix that way. */
function neighbour({ boxes }, point, [down, right]) {
  const from = boxes[point.matrix];
  const { height, width } = from.matrix;
  const [row, column] = [point.row + down, point.column + right];
  if (row >= 0 && column >= 0 && row < height && column < width) return { matrix: point.matrix, row, column };
  const [x, y] = [from.x + (point.column + 0.5) * from.cellWidth, from.y + (point.row + 0.5) * from.cellHeight];
  const faces = (box) => (right ? y >= box.y && y < box.bottom : x >= box.x && x < box.right);
  const next = boxes
    .filter((box) => box !== from && apart(from, box, [down, right]) >= 0 && faces(box))
    .sort((a, b) => apart(from, a, [down, right]) - apart(from, b, [down, right]))[0];
  if (!next) return point;
  const across = Math.floor((x - next.x) / next.cellWidth);
  const along = Math.floor((y - next.y) / next.cellHeight);
  return {
    matrix: next.matrix.index,
    row: right ? along : down > 0 ? 0 : next.matrix.height - 1,
    column: right ? (right > 0 ? 0 : next.matrix.width - 1) : across,
  };
}

/** Px from a box to another in a direction; negative if it does not lie there. */
function apart(from, box, [down, right]) {
  if (right) return right > 0 ? box.x - from.right : from.x - box.right;
  return down > 0 ? box.y - from.bottom : from.y - box.bottom;
}
