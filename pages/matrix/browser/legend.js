// The whole picture: placed matrices, and each distinct colour scale printed once.

const GROWN = [1.8, 1.65, 1.5, 1.35, 1.2]; // times the page's type: a picture of few cells grows as a whole

/** One part for each colour scale, with the names that share it when there are several, and one for masked cells. */
function legendParts(scene, ruler) {
  const { rem, width } = ruler;
  const scales = new Map();
  for (const matrix of scene.matrices.filter(({ scale }) => scale !== "plain")) {
    const kind = `${matrix.scale} ${matrix.limit}`;
    scales.set(kind, [...(scales.get(kind) ?? []), matrix]);
  }
  const parts = [...scales.values()].map((members) => {
    const [{ scale, limit }] = members;
    const names = (scales.size > 1 ? members.slice(0, 3) : []).map(({ name, role }, k, all) => ({ role, name: name + (k < all.length - 1 ? scene.comma : "") }));
    const ends = [scale === "signed" ? brief(-limit) : "0", brief(limit, scale === "signed")];
    const named = names.reduce((sum, { name }) => sum + width("size", name) + 0.4 * rem, 0);
    return {
      scale,
      names,
      ends,
      length: 5 * rem,
      width: named + width("number", ends[0]) + width("number", ends[1]) + 5.8 * rem,
    };
  });
  if (!scene.matrices.some((matrix) => matrix.hasMask)) return parts;
  const text = scene.readout.words.hatched ?? "";
  return [
    ...parts,
    { masked: true, text, names: [], width: 1.6 * rem + (text ? width("number", text) + 0.4 * rem : 0) },
  ];
}

/** Put the parts where there is room: in a product's empty corner, beside a flow's first names, or in lines below; returns
 * their lower edge. */
function placeLegend(parts, { corner, bottom, right, boxes }, ruler, roomWidth) {
  const { rem } = ruler;
  const gap = 1.4 * rem;
  const wide = (line) => line.reduce((sum, part) => sum + part.width + gap, -gap);
  const write = (line, y) => {
    let x = Math.max(0, Math.min(right, roomWidth) - wide(line));
    for (const part of line) {
      Object.assign(part, { x, y });
      x += part.width + gap;
    }
  };
  const widest = Math.max(...parts.map((part) => part.width));
  if (corner && corner.right >= widest && corner.bottom >= parts.length * 1.5 * rem) {
    parts.forEach((part, k) => Object.assign(part, { x: 0, y: (k + 0.5) * 1.5 * rem }));
    return 0;
  }
  const last = boxes.findLast((box) => box.line === boxes[0].line);
  if (!corner && last.name[0] + titleWidth(last.matrix, ruler) + gap <= right - wide(parts)) {
    write(parts, last.name[1] - 0.3 * rem);
    return 0;
  }
  const lines = [[]];
  for (const part of parts) {
    if (lines.at(-1).length && wide([...lines.at(-1), part]) > roomWidth) lines.push([]);
    lines.at(-1).push(part);
  }
  lines.forEach((line, k) => write(line, bottom + (1 + 1.4 * k) * rem));
  return bottom + (0.3 + 1.4 * lines.length) * rem;
}

/** Place a scene in a room; where its cells are as large as they grow, in type as large as still leaves them roomy. */
function arrange(scene, rulerFor, room) {
  const plain = fitted(scene, rulerFor(1), room);
  if (plain.boxes.some(({ cellHeight }) => cellHeight < ROOMY * plain.ruler.unit - 1)) return plain;
  for (const times of GROWN) {
    const grown = fitted(scene, rulerFor(times), room);
    const least = 0.75 * ROOMY * grown.ruler.unit;
    const isRoomy = ({ cellWidth, cellHeight }) => cellWidth >= least && cellHeight >= least;
    if (grown.height <= room.height && grown.boxes.every(isRoomy)) return grown;
  }
  return plain;
}

/** Place a scene in a room of some width and height; again in less while the legend finds no room. */
function fitted(scene, ruler, { width, height }) {
  let picture;
  for (let [tries, left] = [0, height]; tries < 4; tries++) {
    picture = arrangeIn(scene, ruler, { width, height: left });
    if (picture.height <= height) break;
    left -= picture.height - height;
  }
  return Object.assign(picture, { ruler });
}

function arrangeIn(scene, ruler, room) {
  const picture = (scene.kind === "product" ? placeProduct : placeFlow)(scene, ruler, room);
  for (const box of picture.boxes) box.decimals = decimalsFor(box, ruler);
  picture.right = Math.max(...picture.boxes.map((box) => box.right));
  picture.legend = legendParts(scene, ruler);
  picture.height = Math.ceil(Math.max(picture.bottom, placeLegend(picture.legend, picture, ruler, room.width)));
  const leaning = (box) =>
    box.modes.columns === "labels" ? lean(box.labels.columns, box.cellWidth, box.angle, ruler) : 2;
  const named = ({ matrix, name: [x, , stand] }) => 
    stand === "above" ? x + ruler.width("name", matrix.name) + 0.5 * ruler.rem : 0;
  const needed = Math.max(
    ...picture.boxes.map((box) => Math.max(box.right + leaning(box), named(box))),
    ...picture.legend.map((part) => part.x + part.width),
  );
  picture.width = Math.min(room.width, Math.ceil(Math.max(needed, 42 * ruler.rem)));
  return picture;
}

/** One colour scale with its ends printed; the names say whose it is when there are several. */
function paintScale(pen, part, theme, ruler, pattern) {
  const { unit, rem } = ruler;
  let { x } = part;
  const thick = 9 * unit;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.font = ruler.fonts.size;
  for (const { name, role } of part.names) {
    pen.fillStyle = theme.letters(role);
    pen.fillText(name, x, part.y);
    x += pen.measureText(name).width + 0.4 * rem;
  }
  pen.font = ruler.fonts.number;
  pen.fillStyle = theme.soft;
  if (part.masked) {
    pen.fillStyle = pattern;
    pen.fillRect(x, part.y - thick / 2, 1.5 * rem, thick);
    pen.strokeStyle = theme.faint;
    pen.strokeRect(x + 0.5, part.y - thick / 2 + 0.5, 1.5 * rem - 1, thick - 1);
    pen.fillStyle = theme.soft;
    pen.fillText(part.text, x + 1.9 * rem, part.y);
    return;
  }
  pen.fillText(part.ends[0], x, part.y);
  x += pen.measureText(part.ends[0]).width + 0.4 * rem;
  const bar = document.createElement("canvas");
  Object.assign(bar, { width: STEPS + 1, height: 1 });
  bar.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(theme[part.scale].buffer), STEPS + 1, 1), 0, 0);
  pen.drawImage(bar, x, part.y - thick / 2, part.length, thick);
  pen.strokeStyle = theme.faint;
  pen.lineWidth = 1;
  pen.strokeRect(x + 0.5, part.y - thick / 2 + 0.5, part.length - 1, thick - 1);
  pen.fillStyle = theme.soft;
  if (part.scale === "signed") pen.fillRect(x + part.length / 2 - 0.5, part.y - thick / 2 - 3, 1, 3);
  pen.fillText(part.ends[1], x + part.length + 0.4 * rem, part.y);
}
