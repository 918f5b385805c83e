// The readout of LayerNorm.

/** LayerNorm of one number of a token; the first operand holds all numbers of that token. */
function explainNorm(scene, [x, gain, bias], result, { row, column }, digits) {
  const { words, epsilon } = scene.readout;
  const mean = sum([...x.values]) / x.values.length;
  const variance = sum([...x.values].map((value) => (value - mean) ** 2)) / x.values.length + epsilon;
  const [value, total] = [x.at(row, column), result.at(row, column)];
  const normalised = (value - mean) / Math.sqrt(variance);
  const said = spell(result, total, digits);
  const [scale, shift, middle] = [gain.at(row, column), bias.at(row, column), normalised];
  const [hat, γ, β] = firstTrue(
    digits,
    (count) => [middle, scale, shift].map((number) => significant(number, count, true)),
    ([a, b, c]) => agrees(read(a) * read(b) + read(c), said),
  );
  const [from, μ, σ2] = firstTrue(
    digits,
    (count) => {
      const shared = Math.min(places(value, count), places(mean, count));
      return [fixed(value, shared, true), fixed(mean, shared, true), significant(variance, count)];
    },
    ([a, b, c]) => agrees((read(a) - read(b)) / Math.sqrt(read(c)), hat),
  );
  const line = (label, written, more) => ({ label, wide: true, value: written, ...more });
  return {
    lines: [
      line(x.name, from, { role: x.role }),
      line(words.mean, μ),
      line(`${words.variance} + ε`, σ2),
      line(words.normalised, hat, { strong: true }),
      line(`· ${gain.name}`, γ, { role: gain.role }),
      line(`+ ${bias.name}`, β, { role: bias.role }),
    ],
    total,
    said,
  };
}
