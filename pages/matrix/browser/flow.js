// Lines of matrices with signs between them; what a neighbour already says is not labelled again.

const sameLabels = (one, other) => one.length === other.length && one.every((label, k) => label === other[k]);

/** The scene's lines as items: signs, and matrices that know which axes they have to label. */
function flowItems(scene) {
  return scene.lines.map((line, at) =>
    line.map((item, k) => {
      if (typeof item === "string") return { sign: item.match(/^(.+)\s([→⟶⇒])$/)?.slice(1) ?? [item] };
      const matrix = scene.matrices[item];
      const before = scene.matrices[line.slice(0, k).findLast((other) => typeof other === "number")];
      const above = scene.matrices[scene.lines[at - 1]?.[k]];
      return {
        matrix,
        names: {
          rows: !(before && sameLabels(before.rows, matrix.rows) && before.height === matrix.height),
          columns: !(above && sameLabels(above.columns, matrix.columns) && above.width === matrix.width),
        },
      };
    }),
  );
}

/** Everything about a flow's sizes that depends on which labels fit. */
function flowMetrics(lines, fits, ruler, room) {
  const { unit, rem } = ruler;
  const gap = 0.9 * rem;
  const around = new Map();
  for (const item of lines.flat().filter((one) => one.matrix)) {
    const modes = Object.fromEntries(
      ["rows", "columns"].map((axis) => [axis, item.names[axis] ? axisMode(item.matrix, axis, fits[axis]) : null]),
    );
    around.set(item, { modes, ...margins(item.matrix, modes, fits.angle, ruler, room.width) });
  }
  const columns = (line) => line.reduce((sum, { matrix }) => sum + (matrix?.width ?? 0), 0);
  const least = Math.min(34 * unit, (0.75 * room.width) / Math.max(...lines.map(columns))); // many narrow ones still fit
  const cellWide = ({ matrix }, size) => (matrix.width <= 4 ? Math.max(size, least) : size);
  const cellHigh = ({ matrix }, size) => (matrix.height <= 2 ? Math.max(size, 24 * unit) : size);
  const signWide = ({ sign }) => Math.max(...sign.map((part) => ruler.width("sign", part))) + 1.1 * rem;
  const wide = (item, size) =>
    item.sign ? signWide(item) : around.get(item).left + item.matrix.width * cellWide(item, size);
  const lineWide = (line, size) => {
    const last = line.findLast((item) => item.matrix);
    const out =
      around.get(last)?.modes.columns === "labels" ? lean(around.get(last).labels.columns, size, fits.angle, ruler) : 2;
    return line.reduce((sum, item) => sum + wide(item, size), gap * (line.length - 1) + out);
  };
  const most = (line, height) => Math.max(...line.filter((item) => item.matrix).map(height));
  const head = (line) => most(line, (item) => around.get(item).top) + 1.5 * rem;
  const body = (line, size) => most(line, (item) => item.matrix.height * cellHigh(item, size));
  return { around, gap, cellWide, cellHigh, wide, lineWide, head, body, below: 0.7 * rem };
}

/** The largest size up to `most` that fits, by halving. */
function largest(most, fitsIn) {
  let [low, high] = [0, most];
  for (let k = 0; k < 16; k++) {
    const middle = (low + high) / 2;
    if (fitsIn(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function flowSizes(lines, fits, ruler, room) {
  const { unit, rem } = ruler;
  const metrics = flowMetrics(lines, fits, ruler, room);
  const high = (size) =>
    lines.reduce((sum, line) => sum + metrics.head(line) + metrics.body(line, size) + metrics.below, 1.8 * rem);
  let cellWidth = largest(ROOMY * unit, (size) => lines.every((line) => metrics.lineWide(line, size) <= room.width));
  let cellHeight = largest(ROOMY * unit, (size) => high(size) <= room.height);
  cellHeight = Math.min(cellHeight, Math.max(1.25 * cellWidth, fits.rows ? 20 * unit : 6));
  cellWidth = Math.min(cellWidth, widestCell(cellHeight, ruler));
  return { cellWidth, cellHeight, metrics, angle: fits.angle };
}

function placeFlow(scene, ruler, room, ratio) {
  const { rem } = ruler;
  const lines = flowItems(scene);
  const { metrics, angle, ...sizes } = settle(scene.matrices, rem, (fits) => flowSizes(lines, fits, ruler, room));
  const [cellWidth, cellHeight] = [snap(sizes.cellWidth, ratio), snap(sizes.cellHeight, ratio)];
  const [boxes, signs] = [[], []];
  let y = 0;
  for (const line of lines) {
    const top = y + metrics.head(line);
    const high = (item) => (item?.matrix ? item.matrix.height * metrics.cellHigh(item, cellHeight) : Infinity);
    let x = 0;
    line.forEach((item, k) => {
      const width = metrics.wide(item, cellWidth);
      if (item.sign) {
        const middle = Math.min(high(line[k - 1]), high(line[k + 1])) / 2;
        signs.push({ parts: item.sign, x: x + width / 2, y: top + middle, width: width - 0.6 * rem });
      } else {
        const { labels, modes, aside, left, top: over } = metrics.around.get(item);
        boxes.push(
          place(item.matrix, x + left, top, metrics.cellWide(item, cellWidth), metrics.cellHigh(item, cellHeight), {
            labels,
            modes,
            aside,
            angle,
            line,
            name: [x + left, top - over - 0.5 * rem, "above", (line.slice(k + 1).some((next) => next.matrix) ? 0.6 : 4) * rem],
          }),
        );
      }
      x += width + metrics.gap;
    });
    y = top + metrics.body(line, cellHeight) + metrics.below;
  }
  return { boxes, signs, corner: null, bottom: y - metrics.below };
}
