// A product as on paper: left operand at the left, top operand above, result in the corner.

/** Share a length between `outer` cells and `inner` thinner ones: [outer size, inner size]. */
function share(length, outer, inner, wantOuter, wantInner, most) {
  const square = length / (outer + inner);
  if (square >= most / 2) return [Math.min(square, most), Math.min(square, most)];
  let size = length / (outer + inner / 2);
  let thin = size / 2;
  if (size < wantOuter) {
    size = Math.min(wantOuter, (0.7 * length) / outer);
    thin = (length - outer * size) / inner;
  }
  if (thin < wantInner) {
    thin = Math.min(wantInner, (0.46 * length) / inner);
    size = (length - inner * thin) / outer;
  }
  return thin > size ? [square, square] : [Math.min(size, most), Math.min(thin, most)];
}

/** Cell sizes of a product that fill the room: the result's, and the thinner inner ones. */
function productSizes([left, top, result], fits, ruler, room, gap) {
  const { unit, rem } = ruler;
  const modes = {
    rows: axisMode(left.rows.length ? left : result, "rows", fits.rows),
    columns: axisMode(result, "columns", fits.columns),
  };
  const side = margins(
    { ...left, rows: left.rows.length ? left.rows : result.rows },
    { rows: modes.rows },
    0,
    ruler,
    room.width,
  );
  const head = margins({ ...top, columns: result.columns }, { columns: modes.columns }, fits.angle, ruler, room.width);
  const named = top.rows.length ? 1.4 * rem : 0;
  const x = Math.max(side.left, 4 * rem);
  const y = Math.max(head.top, named);
  const most = ROOMY * unit;
  const down = room.height - y - gap - 1.5 * rem;
  const wide = top.width <= 4 ? NUMBERED * unit : fits.columns ? 20 * unit : 0;
  const across = (pad) => share(room.width - x - gap - pad, top.width, left.width, wide, 2, most);
  let [cellHeight, innerHeight] = share(
    down,
    left.height,
    top.height,
    (fits.rows ? 19 : 12) * unit,
    top.rows.length ? NAMED * unit : 2,
    most,
  );
  let [cellWidth, innerWidth] = across(2);
  if (fits.columns) [cellWidth, innerWidth] = across(lean(head.labels.columns, cellWidth, fits.angle, ruler));
  cellHeight = Math.min(cellHeight, Math.max(1.4 * cellWidth, (fits.rows ? 30 : 8) * unit));
  cellWidth = Math.min(cellWidth, widestCell(cellHeight, ruler));
  innerWidth = Math.min(innerWidth, 1.2 * Math.max(innerHeight, 4));
  innerHeight = Math.min(innerHeight, 1.5 * Math.max(innerWidth, top.rows.length ? 18 * unit : 4));
  [cellWidth, cellHeight, innerWidth, innerHeight] = [cellWidth, cellHeight, innerWidth, innerHeight].map(ruler.snap);
  return { modes, side, head, x, y, cellWidth, cellHeight, innerWidth, innerHeight };
}

function placeProduct(scene, ruler, room) {
  const { rem, unit } = ruler;
  const [left, top, result] = scene.matrices;
  const gap = 1.35 * rem;
  const { modes, side, head, x, y, angle, ...sizes } = settle([result], rem, (fits) => ({
    ...productSizes(scene.matrices, fits, ruler, room, gap),
    angle: fits.angle,
  }));
  const { cellWidth: cw, cellHeight: ch, innerWidth: tw, innerHeight: th } = sizes;
  const [x1, y1] = [x + left.width * tw + gap, y + top.height * th + gap];
  const inner = top.rows.length && th >= LEGIBLE.rows * unit ? "labels" : null;
  const topLabels = { rows: named(top, "rows"), columns: head.labels.columns };
  const boxes = [
    place(left, x, y1, tw, ch, {
      labels: side.labels,
      modes: { rows: modes.rows },
      aside: side.aside,
      name: [x, y1 - 0.45 * rem - bandRoom(left.bands, unit), "above", gap], // clear of the dashes to the result
    }),
    place(top, x1, y, cw, th, {
      labels: topLabels,
      modes: { columns: modes.columns, rows: inner },
      angle,
      name: inner
        ? [x1 - (modes.columns === "ticks" ? 20 : 6) * unit, y - 0.6 * rem, "before"]
        : [x1 - 0.6 * rem - bandRoom(top.rowBands, unit), y + 0.85 * rem, "beside"],
    }),
    place(result, x1, y1, cw, ch, { labels: { rows: [], columns: [] }, modes: {} }),
  ];
  boxes[2].name = [x1, boxes[2].bottom + 1.1 * rem, "above"];
  const beside = inner ? ruler.widest(topLabels.rows) + rem : Math.max(5.2 * rem, ruler.width("size", top.size) + rem);
  return {
    boxes,
    signs: [],
    corner: { right: x1 - beside, bottom: y1 - 2 * rem },
    bottom: boxes[2].bottom + 1.5 * rem,
  };
}
