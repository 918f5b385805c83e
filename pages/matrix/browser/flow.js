// Lines of matrices with signs between them; what a neighbour already says is not labelled again.

const sameLabels = (one, other) => one.length === other.length && one.every((label, k) => label === other[k]);

/** The scene's lines as items: signs, and matrices that know which axes they have to label. */
function flowItems(scene) {
  return scene.lines.map((line, at) =>
    line.map((item, k) => {
      if (typeof item === "string") return { sign: item.match(/^(.+)\s([→⟶⇒])$/)?.slice(1) ?? [item] };
      const matrix = scene.matrices[item];
      const isMatrix = (other) => typeof other === "number";
      const before = scene.matrices[line.slice(0, k).findLast(isMatrix)];
      const upper = scene.lines[at - 1]?.filter(isMatrix) ?? [];
      const from = scene.align === "end" ? upper.length - line.filter(isMatrix).length : 0;
      const above = scene.matrices[upper[from + line.slice(0, k).filter(isMatrix).length]];
      return {
        matrix,
        names: {
          rows: matrix.named || !(before && sameLabels(before.rows, matrix.rows) && before.height === matrix.height),
          columns: !(above && sameLabels(above.columns, matrix.columns) && above.width === matrix.width),
        },
      };
    }),
  );
}

/** Everything about a flow's sizes that depends on which labels fit; its lines begin or end together. */
function flowMetrics(lines, fits, ruler, room, align) {
  const { unit, rem } = ruler;
  const gap = 0.9 * rem;
  const around = new Map();
  for (const item of lines.flat().filter((one) => one.matrix)) {
    const modes = Object.fromEntries(
      ["rows", "columns"].map((axis) => [axis, item.names[axis] ? axisMode(item.matrix, axis, fits[axis]) : null]),
    );
    around.set(item, { modes, ...margins(item.matrix, modes, fits.angle, ruler, room.width) });
  }
  if (lines.length > 1 && lines.every((line) => line.filter((item) => item.matrix).length === 1)) {
    const left = Math.max(...[...around.values()].map((room) => room.left)); // a stack shares its left edge
    for (const room of around.values()) room.left = left;
  }
  const isNarrow = ({ matrix }) => matrix && matrix.width <= 4;
  const signWide = ({ sign }) => Math.max(...sign.map((part) => ruler.width(signFont(part), part))) + 1.1 * rem;
  const fixed = (line) =>
    line.reduce((sum, item) => sum + (item.sign ? signWide(item) : around.get(item).left), gap * line.length);
  const leastIn = (line) => {
    const narrow = line.filter(isNarrow).reduce((sum, { matrix }) => sum + matrix.width, 0);
    const share = line.every((item) => item.sign || isNarrow(item)) ? 1 : 0.75; // many narrow ones still fit
    return (share * (room.width - fixed(line))) / Math.max(1, narrow);
  };
  const least = Math.max(1, Math.min(NUMBERED * unit, ...lines.map(leastIn)));
  const cellWide = (item, size) => (isNarrow(item) ? Math.max(size, least) : size);
  const cellHigh = ({ matrix }, size) => (matrix.height <= 2 ? Math.max(size, 24 * unit) : size);
  const wide = (item, size) =>
    item.sign ? signWide(item) : around.get(item).left + item.matrix.width * cellWide(item, size);
  const slants = (item) => around.get(item)?.modes.columns === "labels";
  const before = (line, k) => (k === 0 ? 0 : slants(line[k - 1]) && !slants(line[k]) ? 1.4 * gap : gap);
  const lead = ([first]) => (first.sign ? signWide(first) + gap : 0);
  const reach = (line, size) => line.reduce((sum, item, k) => sum + before(line, k) + wide(item, size), 0);
  const indent = (line, size) =>
    align === "end"
      ? Math.max(...lines.map((one) => reach(one, size))) - reach(line, size)
      : Math.max(...lines.map(lead)) - lead(line); // a sign that begins a line stands left of the column
  const lineWide = (line, size) => {
    const last = line.findLast((item) => item.matrix);
    const name = ruler.width("name", last.matrix.name) + 0.5 * rem - last.matrix.width * cellWide(last, size);
    const out = slants(last) ? lean(around.get(last).labels.columns, size, fits.angle, ruler) : 2;
    return indent(line, size) + reach(line, size) + Math.max(name, out);
  };
  const most = (line, height) => Math.max(...line.filter((item) => item.matrix).map(height));
  const head = (line) => most(line, (item) => around.get(item).top) + 1.4 * rem;
  const nameRoom = (line) => {
    const slanted = Math.max(...line.filter(slants).map((item) => around.get(item).top));
    return (item) => (slants(item) ? slanted : around.get(item).top); // over slanted labels names stand on one line
  };
  const body = (line, size) => most(line, (item) => item.matrix.height * cellHigh(item, size));
  return { around, before, indent, cellWide, cellHigh, wide, lineWide, head, nameRoom, body, below: 0.55 * rem };
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

function flowSizes(lines, fits, ruler, room, { align, square }) {
  const { unit, rem } = ruler;
  const metrics = flowMetrics(lines, fits, ruler, room, align);
  const high = (size) =>
    lines.reduce((sum, line) => sum + metrics.head(line) + metrics.body(line, size) + metrics.below, 0);
  let cellWidth = largest(ROOMY * unit, (size) => lines.every((line) => metrics.lineWide(line, size) <= room.width));
  let cellHeight = largest(ROOMY * unit, (size) => high(size) <= room.height);
  cellHeight = Math.min(cellHeight, Math.max(1.6 * cellWidth, (fits.rows ? 42 : 6) * unit));
  cellWidth = Math.min(cellWidth, widestCell(cellHeight, ruler));
  if (square) cellWidth = cellHeight = Math.min(cellWidth, cellHeight);
  return { cellWidth: ruler.snap(cellWidth), cellHeight: ruler.snap(cellHeight), metrics, angle: fits.angle };
}

function placeFlow(scene, ruler, room) {
  const { rem } = ruler;
  const lines = flowItems(scene);
  const { metrics, angle, cellWidth, cellHeight } = settle(scene.matrices, rem, (fits) =>
    flowSizes(lines, fits, ruler, room, scene),
  );
  const [boxes, signs] = [[], []];
  let y = 0;
  for (const line of lines) {
    const top = y + metrics.head(line);
    const high = (item) => (item?.matrix ? item.matrix.height * metrics.cellHigh(item, cellHeight) : Infinity);
    let x = metrics.indent(line, cellWidth);
    const nameRoom = metrics.nameRoom(line);
    line.forEach((item, k) => {
      const width = metrics.wide(item, cellWidth);
      x += metrics.before(line, k);
      if (item.sign) {
        const middle = Math.min(high(line[k - 1]), high(line[k + 1])) / 2;
        signs.push({ parts: item.sign, x: x + width / 2, y: top + middle, width: width - 0.6 * rem });
      } else {
        const { labels, modes, aside, left } = metrics.around.get(item);
        boxes.push(
          place(item.matrix, x + left, top, metrics.cellWide(item, cellWidth), metrics.cellHigh(item, cellHeight), {
            labels,
            modes,
            aside,
            angle,
            line,
            name: [x + left, top - nameRoom(item) - 0.5 * rem, "above", (line.slice(k + 1).some((next) => next.matrix) ? 0.6 : 4) * rem],
          }),
        );
      }
      x += width;
    });
    y = top + metrics.body(line, cellHeight) + metrics.below;
  }
  return { boxes, signs, corner: null, bottom: y - metrics.below };
}
