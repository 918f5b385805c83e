// The readout: the arithmetic behind the pointed cell, worked out here from the operands' own numbers.

const ALL = 10; // a sum of more terms lists all but the smallest of them,
const TERMS = 8; // in so many lines
const NAMING = ["weighted", "mix"]; // whose terms are called by their tokens
const SHARES = 6; // exponentials listed of a softmax
const HOLDERS = 16; // matrices listed for one shared cell

/** In how many lines a sum is written. */
const listed = (terms) => (terms > ALL ? TERMS : terms);

/** How many lines a scene's readout can take, whatever the cell: the card keeps that height. */
function lineCount(scene) {
  const { kind, operands } = scene.readout;
  const bias = scene.bias ? 1 : 0;
  const terms = () => listed(scene.matrices[operands[0]].width) + bias;
  if (kind === "dot" || kind === "weighted") return terms();
  if (kind === "mix") return listed(scene.matrices[operands[0]].height);
  if (kind === "unit") return terms() + 1;
  if (kind === "norm") return 6;
  if (kind === "softmax") return Math.min(scene.matrices[operands[0]].width, SHARES + 1) + 3;
  if (kind === "sum") return operands.length;
  if (kind === "divide") return 2;
  if (kind === "value") return mostHolders(scene) > 1 ? Math.min(mostHolders(scene), HOLDERS) : 0;
  return 1;
}

/** How many matrices of a flow can hold one and the same cell. */
function mostHolders(scene) {
  const first = ({ index }) => coordinates(scene, { matrix: index, row: 0, column: 0 });
  const holders = (ij) => scene.matrices.filter((other) => other.link !== "none" && cellOf(scene, other.index, ...ij)).length;
  return Math.max(1, ...scene.matrices.filter(({ link }) => link !== "none").map((matrix) => holders(first(matrix))));
}

/** The terms listed and the rest: the `count` of largest size, in their order (or by size), and how many are left over. */
function pick(sizes, count, bySize) {
  const order = [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b);
  if (sizes.length <= count) return { kept: bySize ? order : [...sizes.keys()], rest: [] };
  const kept = order.slice(0, count - 1);
  return { kept: bySize ? kept : kept.sort((a, b) => a - b), rest: order.slice(count - 1) };
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** The terms of a sum of products; a masked weight has no part in it. */
const productsOf = ([a, b], { row, column }) =>
  Array.from({ length: a.width }, (_, k) => ({ k, left: a.at(row, k), top: b.at(k, column) }))
    .filter(({ left }) => !isMasked(left))
    .map((term) => ({ ...term, product: term.left * term.top }));

/** A sum of products: the terms that weigh most (or differ most), what the others add up to, the bias. */
function explainDot(scene, [a, b], result, { row, column }, digits, said) {
  const { words, kind, differing } = scene.readout;
  const weighted = kind !== "dot" && kind !== "unit";
  const terms = productsOf([a, b], { row, column });
  const weigh = ({ left, top, product }) => Math.abs(differing ? left - top : weighted ? left : product);
  const { kept, rest } = pick(terms.map(weigh), listed(a.width), weighted);
  const total = said ?? result.at(row, column);
  const others = sum(rest.map((at) => terms[at].product));
  const added = [...kept.map((at) => terms[at].product), ...(rest.length ? [others] : [])];
  if (scene.bias) added.push(scene.bias[column]);
  const count = sharedPlaces(total, added, digits);
  const { decimals: fine, rounded } = addingUp(added, total, count, rest.length ? kept.length : -1);
  const values = rounded.map((value) => fixed(value, fine, true));
  const lines = kept.map((at, place) => {
    const { k, left, top } = terms[at];
    const label = weighted ? labelOf(b, "rows", k) : { text: a.width > TERMS ? String(k) : "" };
    const [first, second] = factors(left, top, values[place], 3);
    return {
      label: label.text,
      token: label.token,
      soft: !weighted,
      value: values[place],
      a: [first, a.role],
      op: "·",
      b: [second, b.role],
    };
  });
  if (rest.length) lines.push(remainder(words, rest.length, values[kept.length]));
  if (scene.bias) lines.push({ label: words.bias ?? "", wide: true, value: values.at(-1) });
  return { lines, total, said: fixed(total, count, true) };
}

/** One row as a mix of rows: the weights stand in a column beside them. */
function explainMix(scene, [weights, rows], result, cell, digits) {
  const lying = { ...weights, width: weights.height, at: (_, k) => weights.at(k, 0) };
  return explainDot(scene, [lying, rows], result, cell, digits);
}

/** A hidden unit: the same sum, and its total before the activation. */
function explainUnit(scene, given, result, cell, digits) {
  const products = productsOf(given, cell).map(({ product }) => product);
  const before = sum(products) + (scene.bias?.[cell.column] ?? 0);
  const { lines, said } = explainDot(scene, given, result, cell, digits, before);
  const total = result.at(cell.row, cell.column);
  const passed = Math.abs(total - before) < 1e-5 * Math.abs(before);
  return {
    lines: [...lines, { label: scene.readout.words.sum, wide: true, strong: true, value: said }],
    total,
    said: passed ? said.replace("+", "") : undefined,
  };
}

/** The line for what is not listed, with its subtotal. */
const remainder = (words, count, value) => ({ label: words.more.replace("{n}", count), wide: true, faded: true, value });

/** A row of softmax: its maximum, the exponentials of the differences, their sum, and the division. */
function explainSoftmax(scene, [scores], result, { row, column }, from, digits) {
  const { words } = scene.readout;
  const values = Array.from({ length: scores.width }, (_, k) => scores.at(from.row, k));
  const maximum = Math.max(...values.filter((value) => !isMasked(value)));
  const powers = values.map((value) => (isMasked(value) ? 0 : Math.exp(value - maximum)));
  const { kept, rest: others } = pick(powers, SHARES + 1, true);
  const rest = others.filter((k) => !isMasked(values[k])); // what is masked is no term
  if (rest.includes(from.column)) rest.splice(rest.indexOf(from.column), 1, kept.splice(-1, 1, from.column)[0]);
  const total = sum(powers);
  const added = [...kept.map((k) => powers[k]), ...(rest.length ? [sum(rest.map((k) => powers[k]))] : [])];
  const weight = result.at(row, column);
  const said = spell(result, weight, digits);
  const power = powers[from.column];
  const [numerator, whole] = firstTrue(
    digits,
    (count) => [significant(power, count), fixed(total, count)],
    ([above, below]) => agrees(read(above) / read(below), said),
  );
  const { decimals: fine, rounded } = addingUp(added, total, whole.split(".")[1].length, rest.length ? kept.length : -1);
  const write = (at) => (rounded[at] || !added[at] ? fixed(rounded[at], fine) : significant(added[at], 2));
  const lines = [{ label: words.maximum, wide: true, faded: true, value: significant(maximum, digits, true) }];
  for (const [at, k] of kept.entries()) {
    const { text, token } = labelOf(scores, "columns", k);
    const value = write(at);
    const exponent = () =>
      firstTrue(4, (count) => fixed(values[k] - maximum, count), (text) => agrees(Math.exp(read(text)), value));
    const power = `exp(${isMasked(values[k]) ? MINUS + "∞" : values[k] === maximum ? "0" : exponent()})`;
    lines.push({ label: text, token, a: [power, scores.role], spread: true, value, strong: k === from.column });
  }
  if (rest.length) lines.push(remainder(words, rest.length, write(kept.length)));
  lines.push({ label: words.sum, wide: true, value: whole });
  lines.push({ label: `${numerator} ÷ ${whole} =`, wide: true, strong: true, value: said });
  return { lines, total: weight, said };
}

/** The other kinds: a line for each operand, and the result. */
function explainPlain(scene, operands, result, cell, cells, digits) {
  const { kind, words, divisor } = scene.readout;
  const total = result.at(cell.row, cell.column);
  const numbers = operands.map((matrix, k) => (cells[k] ? matrix.at(cells[k].row, cells[k].column) : NaN));
  let said;
  let values = operands.map((matrix, k) => (cells[k] ? spell(matrix, numbers[k], digits) : ""));
  if (kind === "sum" && numbers.every(Number.isFinite)) {
    values = addends(numbers, total, digits);
    said = values.pop();
  }
  const lines = operands.map(({ name, role }, k) => ({ label: name, role, wide: true, value: values[k] }));
  if (kind === "divide") {
    said = spell(result, total, digits);
    const [value, by] = firstTrue(
      digits,
      (count) => [spell(operands[0], numbers[0], count), Number.isInteger(divisor) ? String(divisor) : significant(divisor, count)],
      ([text, root]) => agrees(read(text) / read(root), said),
    );
    lines[0].value = value;
    lines.push({ label: "÷ " + (words.divisor ?? ""), wide: true, value: by });
  }
  if (kind === "lookup")
    Object.assign(lines[0], {
      label: `${operands[0].name} ${cells[0] ? labelOf(operands[0], "rows", cells[0].row).text : ""}`,
    });
  return { lines, total, said, reason: kind === "mask" ? (isMasked(total) ? words.masked : words.allowed) : undefined };
}

/** One cell's number in every matrix that holds it. */
function explainValue(scene, point, ij, digits) {
  const lines =
    scene.matrices.length < 2
      ? []
      : scene.matrices.flatMap((matrix) => {
          const cell =
            matrix.index === point.matrix ? point : matrix.link === "none" ? null : cellOf(scene, matrix.index, ...ij);
          return cell
            ? [
                {
                  label: matrix.name,
                  role: matrix.role,
                  wide: true,
                  strong: matrix.index === point.matrix,
                  value: spell(matrix, matrix.at(cell.row, cell.column), digits),
                },
              ]
            : [];
        });
  const signs = signsOf(scene);
  const numbers = scene.matrices.map(({ index }) => cellOf(scene, index, ...ij)).map((cell) => cell && scene.matrices[cell.matrix].at(cell.row, cell.column));
  let said;
  if (signs && lines.length === numbers.length && numbers.every(Number.isFinite)) {
    const written = addends(numbers.slice(0, -1), numbers.at(-1), digits, signs);
    written.forEach((text, k) => (lines[k].value = text));
    said = written[point.matrix];
  }
  return {
    lines: lines.slice(0, HOLDERS),
    total: scene.matrices[point.matrix].at(point.row, point.column),
    said,
    what: scene.matrices[point.matrix].name,
  };
}

/** The whole readout of a pointed cell: title, lines, reason, the total's name and number. */
function explain(scene, point, digits) {
  const { kind, words, operands, result } = scene.readout;
  const pointed = scene.matrices[point.matrix];
  const ij = coordinates(scene, point);
  const operandOnly =
    scene.kind === "product"
      ? point.matrix !== 2
      : kind !== "value" && (ij.includes(null) || !cellOf(scene, result, ...ij));
  const titled = (template, matrix, cell) => ({
    template,
    matrix,
    row: labelOf(matrix, "rows", cell.row),
    column: labelOf(matrix, "columns", cell.column),
  });
  if (operandOnly) {
    return {
      title: titled(words.operand ?? "{name}  {row}, {column}", pointed, point),
      lines: [],
      total: pointed.at(point.row, point.column),
      what: pointed.name,
      of: pointed,
    };
  }
  if (kind === "value")
    return { title: titled(words.title, pointed, point), of: pointed, ...explainValue(scene, point, ij, digits) };
  const matrix = scene.matrices[result];
  const cell = cellOf(scene, result, ...ij);
  const given = operands.map((index) => scene.matrices[index]);
  const base = { title: titled(words.title, matrix, cell), what: words.total, of: matrix };
  if (kind === "dot" || kind === "weighted") return { ...base, ...explainDot(scene, given, matrix, cell, digits) };
  if (kind === "mix") return { ...base, ...explainMix(scene, given, matrix, cell, digits) };
  if (kind === "unit") return { ...base, ...explainUnit(scene, given, matrix, cell, digits) };
  if (kind === "norm") return { ...base, ...explainNorm(scene, given, matrix, cell, digits) };
  const cells = operands.map((index) => cellOf(scene, index, ...ij));
  if (kind === "softmax") return { ...base, ...explainSoftmax(scene, given, matrix, cell, cells[0], digits) };
  return { ...base, ...explainPlain(scene, given, matrix, cell, cells, digits) };
}
