// The readout: the arithmetic behind the pointed cell, worked out here from the operands' own numbers.

const TERMS = 8; // a sum of more terms lists all but the smallest
const SHARES = 6; // exponentials listed of a softmax
const HOLDERS = 16; // matrices listed for one shared cell

/** How many lines a scene's readout can take, whatever the cell: the card keeps that height. */
function lineCount(scene) {
  const { kind, operands } = scene.readout;
  const bias = scene.bias ? 1 : 0;
  const terms = () => Math.min(scene.matrices[operands[0]].width, TERMS) + bias;
  if (kind === "dot" || kind === "weighted") return terms();
  if (kind === "mix") return Math.min(scene.matrices[operands[0]].height, TERMS);
  if (kind === "unit") return terms() + 1;
  if (kind === "norm") return 6;
  if (kind === "softmax") return Math.min(scene.matrices[operands[0]].width, SHARES + 1) + 2;
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

/** A sum of products. A masked weight has no part in it. */
function explainDot(scene, [a, b], result, { row, column }, digits) {
  const { words, kind } = scene.readout;
  const weighted = kind !== "dot" && kind !== "unit";
  const terms = Array.from({ length: a.width }, (_, k) => ({ k, left: a.at(row, k), top: b.at(k, column) })).filter(
    ({ left }) => !isMasked(left),
  );
  for (const term of terms) term.product = term.left * term.top;
  const { kept, rest } = pick(
    terms.map(({ left, product }) => Math.abs(weighted ? left : product)),
    TERMS,
    weighted,
  );
  const lines = kept.map((at) => {
    const { k, left, top, product } = terms[at];
    const label = weighted ? labelOf(b, "rows", k) : { text: a.width > TERMS ? String(k) : "" };
    const write = (value, plus) =>
      weighted ? signed(value.toFixed(digits - 1), plus) : significant(value, digits, plus);
    return {
      label: label.text,
      token: label.token,
      soft: !weighted,
      value: write(product, true),
      a: [write(left, a.scale === "signed"), a.role],
      op: "·",
      b: [write(top, b.scale === "signed"), b.role],
    };
  });
  if (rest.length)
    lines.push(
      remainder(
        words,
        rest.map((at) => terms[at].product),
        digits,
        true,
      ),
    );
  if (scene.bias)
    lines.push({ label: words.bias ?? "", wide: true, value: significant(scene.bias[column], digits, true) });
  return { lines, total: result.at(row, column) };
}

/** One row as a mix of rows: the weights stand in a column beside them. */
function explainMix(scene, [weights, rows], result, cell, digits) {
  const lying = { ...weights, width: weights.height, at: (_, k) => weights.at(k, 0) };
  return explainDot(scene, [lying, rows], result, cell, digits);
}

/** A hidden unit: the same sum, and its total before the activation. */
function explainUnit(scene, given, result, cell, digits) {
  const { lines, total } = explainDot(scene, given, result, cell, digits);
  const [x, weights] = given;
  const before = sum(Array.from({ length: x.width }, (_, k) => x.at(cell.row, k) * weights.at(k, cell.column)));
  const value = significant(before + (scene.bias?.[cell.column] ?? 0), digits, true);
  return { lines: [...lines, { label: scene.readout.words.sum, wide: true, strong: true, value }], total };
}

/** LayerNorm of one number of a token; the first operand holds all numbers of that token. */
function explainNorm(scene, [x, gain, bias], result, { row, column }, digits) {
  const { words, epsilon } = scene.readout;
  const mean = sum([...x.values]) / x.values.length;
  const variance = sum([...x.values].map((value) => (value - mean) ** 2)) / x.values.length;
  const normalised = (x.at(row, column) - mean) / Math.sqrt(variance + epsilon);
  const line = (label, value, more) => ({ label, wide: true, value: significant(value, digits, true), ...more });
  return {
    lines: [
      line(x.name, x.at(row, column), { role: x.role }),
      line(words.mean, mean),
      line(words.variance, variance, { value: significant(variance, digits) }),
      line(words.normalised, normalised, { strong: true }),
      line(`· ${gain.name}`, gain.at(row, column), { role: gain.role }),
      line(`+ ${bias.name}`, bias.at(row, column), { role: bias.role }),
    ],
    total: result.at(row, column),
  };
}

/** The line for what is not listed, with its subtotal. */
const remainder = (words, numbers, digits, plus) => ({
  label: words.more.replace("{n}", numbers.length),
  wide: true,
  faded: true,
  value: significant(sum(numbers), digits, plus),
});

/** A row of softmax: its maximum, the exponentials of the differences, their sum. */
function explainSoftmax(scene, [scores], result, { row, column }, from, digits) {
  const { words } = scene.readout;
  const values = Array.from({ length: scores.width }, (_, k) => scores.at(from.row, k));
  const maximum = Math.max(...values.filter((value) => !isMasked(value)));
  const powers = values.map((value) => (isMasked(value) ? 0 : Math.exp(value - maximum)));
  const { kept, rest: others } = pick(powers, SHARES + 1, true);
  const rest = others.filter((k) => !isMasked(values[k])); // what is masked is no term
  if (rest.includes(from.column)) rest.splice(rest.indexOf(from.column), 1, kept.splice(-1, 1, from.column)[0]);
  const lines = [{ label: words.maximum, wide: true, faded: true, value: significant(maximum, digits, true) }];
  for (const k of kept) {
    const { text, token } = labelOf(scores, "columns", k);
    const power = `exp(${significant(isMasked(values[k]) ? -Infinity : values[k] - maximum, 3)})`;
    lines.push({
      label: text,
      token,
      a: [power, scores.role],
      spread: true,
      value: significant(powers[k], digits),
      strong: k === from.column,
    });
  }
  if (rest.length)
    lines.push(
      remainder(
        words,
        rest.map((k) => powers[k]),
        digits,
        false,
      ),
    );
  lines.push({ label: words.sum, wide: true, value: significant(sum(powers), digits) });
  return { lines, total: result.at(row, column) };
}

/** The other kinds: a line for each operand, and the result. */
function explainPlain(scene, operands, result, cell, cells, digits) {
  const { kind, words, divisor } = scene.readout;
  const lines = operands.map((matrix, k) => ({
    label: matrix.name,
    role: matrix.role,
    wide: true,
    value: cells[k] ? spell(matrix, matrix.at(cells[k].row, cells[k].column), digits) : "",
  }));
  if (kind === "divide") lines.push({ label: "÷ " + (words.divisor ?? ""), wide: true, value: brief(divisor) });
  if (kind === "lookup")
    Object.assign(lines[0], {
      label: `${operands[0].name} ${cells[0] ? labelOf(operands[0], "rows", cells[0].row).text : ""}`,
    });
  const total = result.at(cell.row, cell.column);
  return { lines, total, reason: kind === "mask" ? (isMasked(total) ? words.masked : words.allowed) : undefined };
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
  return {
    lines: lines.slice(0, HOLDERS),
    total: scene.matrices[point.matrix].at(point.row, point.column),
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
