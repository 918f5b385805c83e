// Colours: the theme of the page, and the ramps as tables of pixels.

const STEPS = 1024;
const READABLE = 5; // contrast of small letters: 4.5 (WCAG 2, level AA), and a little for the card, which is greyer than the page
const MONOSPACED =
  'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", "Noto Sans CJK SC", monospace';

const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** Any CSS colour → [red, green, blue], by letting the browser read it. */
function readColor(css, fallback) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.fillStyle = fallback;
  pen.fillStyle = css.trim() || fallback;
  const read = pen.fillStyle;
  return read.startsWith("#")
    ? channels(read)
    : read
        .match(/[\d.]+/g)
        .slice(0, 3)
        .map(Number);
}

/** Relative luminance (WCAG 2, section "relative luminance"): 0 is black, 1 is white. */
function luminance([red, green, blue]) {
  const linear = [red, green, blue].map((c) => ((c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

/** How far two colours stand apart (WCAG 2, "contrast ratio"): from 1, the same, to 21. */
function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** A colour mixed with as little of another as makes it READABLE on a background. */
function readable(color, ink, background) {
  const mixed = (share) => color.map((c, k) => Math.round(c + share * (ink[k] - c)));
  let share = 0;
  while (share < 1 && contrast(mixed(share), background) < READABLE) share += 0.04;
  return mixed(share);
}

/** Colours evenly spaced along a ramp → STEPS + 1 colours as ABGR words for ImageData. */
function table(ramp) {
  const words = new Uint32Array(STEPS + 1);
  for (let step = 0; step <= STEPS; step++) {
    const place = (step / STEPS) * (ramp.length - 1);
    const low = Math.min(Math.floor(place), ramp.length - 2);
    const [red, green, blue] = [0, 1, 2].map((c) =>
      Math.round(ramp[low][c] + (place - low) * (ramp[low + 1][c] - ramp[low][c])),
    );
    words[step] = (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
  }
  return words;
}

/** Everything the painter needs to know of the page's looks. */
function readTheme(host) {
  const style = getComputedStyle(host);
  const variable = (name) => style.getPropertyValue(name);
  const background = readColor(variable("--st-background-color"), "#ffffff");
  const mode = luminance(background) < 0.5 ? "dark" : "light";
  const text = readColor(variable("--st-text-color"), PALETTE.roles.neutral[mode === "dark" ? 1 : 0]);
  const css = ([red, green, blue], alpha = 1) => `rgba(${red}, ${green}, ${blue}, ${alpha})`;
  const ramp = (colors, zero) => table(colors.map((hex, k) => (k === zero ? background : channels(hex))));
  const theme = {
    mode,
    background: css(background),
    veil: css(background, 0.92),
    text: css(text),
    soft: css(text.map((c, k) => Math.round(c * 0.68 + background[k] * 0.32))),
    faint: css(text, mode === "dark" ? 0.34 : 0.28),
    signed: ramp(PALETTE.diverging[mode], (PALETTE.diverging[mode].length - 1) / 2),
    weight: ramp(PALETTE.sequential[mode], 0),
    plain: table([background, background]),
    font: variable("--st-font") || "sans-serif",
    mono: `${variable("--st-code-font") || "monospace"}, ${MONOSPACED}`,
  };
  const hue = (role) => (role === "neutral" ? text : channels(PALETTE.roles[role][mode === "dark" ? 1 : 0]));
  const inks = {};
  theme.role = (role) => css(hue(role));
  theme.letters = (role) => (inks[role] ??= css(readable(hue(role), text, background)));
  theme.key = [theme.background, theme.text, theme.font].join();
  return theme;
}

/** The place of a value in its ramp's table. */
function step(matrix, value) {
  const share = matrix.scale === "signed" ? (value / matrix.limit + 1) / 2 : value / matrix.limit;
  return Math.round(Math.min(1, Math.max(0, share)) * STEPS);
}

const cellColor = (theme, matrix, value) => {
  const word = theme[matrix.scale][step(matrix, value)];
  return [word & 255, (word >> 8) & 255, (word >> 16) & 255];
};

/** Dark ink or light ink, whichever stands out more on a cell; black where neither is readable. */
function ink(color) {
  const best = ["#14171a", "#ffffff"].sort((a, b) => contrast(channels(b), color) - contrast(channels(a), color))[0];
  return contrast(channels(best), color) < 4.5 ? "#000000" : best;
}
