// Curves over a run's steps. New numbers are drawn in the same place, so that nothing flickers and a zoom stays.
// Drag to zoom, double-click or Escape for the whole again; a click, or arrows and Enter, picks a point.

const SVG = "http://www.w3.org/2000/svg";
const APART = 3; // sizes of a point that there must be from one to the next, or a line shows none of its points
const NEAR = 40; // px from the pointer within which a point is spoken of
const VIEWS = new WeakMap();

function make(name, attributes = {}, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

function decode(base64) {
  return new Float32Array(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer);
}

/** Round numbers inside a range, about `count` of them and never one alone. */
function ticks([low, high], count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const found = Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, n) => Number(((first + n) * step).toPrecision(12)));
  return found.length > 1 ? found : ticks([low, high], 2 * count);
}

function told(value) {
  const size = Math.abs(value);
  if (size && (size < 1e-4 || size >= 1e7)) return value.toExponential(1).replace("-", "−");
  return Number(value.toPrecision(4)).toLocaleString("en-US", { maximumFractionDigits: 8 }).replace("-", "−");
}

class View {
  constructor(root) {
    this.frame = root.querySelector(".curves");
    this.legend = this.frame.querySelector(".legend");
    this.svg = this.frame.querySelector("svg");
    this.card = this.frame.querySelector("output");
    this.zoom = this.drag = this.pointed = null;
    this.sized = new ResizeObserver(() => this.draw());
    this.sized.observe(this.svg);
    this.svg.onpointerdown = (event) => this.press(event);
    this.svg.onpointermove = (event) => this.move(event);
    this.svg.onpointerup = (event) => this.release(event);
    this.svg.onpointerleave = () => this.point(null);
    this.svg.ondblclick = () => this.draw((this.zoom = null));
    this.svg.onkeydown = (event) => this.key(event);
  }

  update(data, send) {
    if (data.revision !== this.data?.revision) this.zoom = null;
    this.data = data;
    this.send = send;
    this.lines = data.lines.map((line) => ({ ...line, x: decode(line.x), y: decode(line.y) }));
    this.frame.style.setProperty("--height", data.height);
    this.svg.setAttribute("aria-label", data.label);
    this.legend.replaceChildren(...this.lines.filter((line) => line.panel === 0).map((line) => this.named(line)));
    this.draw();
  }

  named({ name, role, dash }) {
    const entry = Object.assign(document.createElement("span"), { className: dash || "solid", textContent: name });
    entry.style.setProperty("--hue", `var(--${role})`);
    return entry;
  }

  /** Where the panels are: the first above, the others side by side below it. */
  place() {
    const { width, height } = this.svg.getBoundingClientRect();
    const em = parseFloat(getComputedStyle(this.svg).fontSize);
    const left = 3.4 * em;
    const low = 0.2 * height;
    const count = this.data.panels.length - 1;
    const right = 1.6 * em;
    const across = (width - left - right - (count - 1) * 4 * em) / count;
    this.em = em;
    this.panels = this.data.panels.map((panel, n) => {
      const box = n
        ? { x: left + (n - 1) * (across + 4 * em), y: height - low - 1.6 * em, w: across, h: low }
        : { x: left, y: 0.5 * em, w: width - left - right, h: height - low - 6.7 * em };
      const x = this.zoom?.x ?? this.data.x;
      const y = (n ? null : this.zoom?.y) ?? panel.y;
      return { ...panel, ...box, xs: x, ys: y };
    });
  }

  across({ x, w, xs }, value) {
    return x + (w * (value - xs[0])) / (xs[1] - xs[0]);
  }

  up({ y, h, ys }, value) {
    return y + h - (h * (value - ys[0])) / (ys[1] - ys[0]);
  }

  draw() {
    if (!this.data || !this.svg.clientWidth) return;
    this.place();
    const parts = this.panels.flatMap((panel, n) => this.drawPanel(panel, n));
    if (this.pointed) parts.push(this.drawPointed());
    if (this.drag?.to) parts.push(this.drawDrag());
    this.svg.replaceChildren(...parts);
  }

  drawPanel(panel, n) {
    const { x, y, w, h, title } = panel;
    const clip = make("clipPath", { id: `panel${n}` });
    clip.append(make("rect", { x: x - 2, y: y - 2, width: w + 8, height: h + 4 }));
    const grid = make("g", { class: "grid" });
    for (const value of ticks(panel.xs, w / (6 * this.em))) {
      const at = this.across(panel, value);
      grid.append(make("path", { d: `M${at},${y}v${h}` }), make("text", { x: at, y: y + h + 1.1 * this.em, "text-anchor": "middle" }, told(value)));
    }
    for (const value of ticks(panel.ys, Math.max(1, h / (2.6 * this.em)))) {
      const at = this.up(panel, value);
      grid.append(make("path", { d: `M${x},${at}h${w}` }), make("text", { x: x - 0.4 * this.em, y: at + 0.35 * this.em, "text-anchor": "end" }, told(value)));
    }
    const name = n
      ? make("text", { x, y: y - 0.45 * this.em, class: "title" }, title)
      : make("text", { transform: `translate(${0.9 * this.em} ${y + h / 2}) rotate(-90)`, "text-anchor": "middle", class: "title" }, title);
    const drawn = make("g", { "clip-path": `url(#panel${n})` });
    this.lines.filter((line) => line.panel === n).forEach((line) => drawn.append(...this.drawLine(panel, line)));
    const parts = [clip, grid, name, drawn];
    if (!n) parts.push(make("text", { x: x + w / 2, y: y + h + 2.3 * this.em, "text-anchor": "middle", class: "title" }, this.data.across));
    if (!n && this.data.picked) parts.push(...this.drawPicked(panel));
    return parts;
  }

  drawLine(panel, { x, y, role, width, dash }) {
    const points = Array.from(x, (value, n) => [this.across(panel, value), this.up(panel, y[n])]);
    const style = `stroke: var(--${role}); stroke-width: ${width}`;
    const parts = [make("polyline", { points: points.join(" "), class: `line ${dash}`, style })];
    const size = 1 + width;
    if (!dash && (points.length < 2 || (width > 2 && points.length * APART * size <= panel.w)))
      parts.push(...points.map(([cx, cy]) => make("circle", { cx, cy, r: size, style: `fill: var(--${role})` })));
    return parts;
  }

  drawPicked(panel) {
    const { step, loss } = this.data.picked;
    const [cx, cy] = [this.across(panel, step), this.up(panel, loss)];
    return this.inside(panel, cx, cy) ? [make("circle", { cx, cy, r: 0.55 * this.em, class: "picked" })] : [];
  }

  inside({ x, y, w, h }, atX, atY) {
    return atX > x - 1 && atX < x + w + 1 && atY > y - 1 && atY < y + h + 1;
  }

  drawPointed() {
    const { line, n } = this.pointed;
    const panel = this.panels[this.lines[line].panel];
    const at = [this.across(panel, this.lines[line].x[n]), this.up(panel, this.lines[line].y[n])];
    return make("circle", { cx: at[0], cy: at[1], r: 0.35 * this.em, class: "pointed" });
  }

  drawDrag() {
    const { from, to } = this.drag;
    const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
    return make("rect", { x, y, width: Math.abs(from.x - to.x), height: Math.abs(from.y - to.y), class: "drag" });
  }

  at(event) {
    const { left, top } = this.svg.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  /** The drawn point nearest to a place, as a line and a number in it; null if none is near. */
  nearest({ x, y }) {
    let best = null;
    this.lines.forEach((line, number) => {
      const panel = this.panels[line.panel];
      if (line.dash || y < panel.y - NEAR || y > panel.y + panel.h + NEAR) return;
      line.x.forEach((value, n) => {
        const [atX, atY] = [this.across(panel, value), this.up(panel, line.y[n])];
        const far = Math.hypot(atX - x, atY - y) - (line.width > 2 ? 4 : 0); // the strong line lies above the thin one
        if (this.inside(panel, atX, atY) && far < (best?.far ?? NEAR)) best = { line: number, n, far };
      });
    });
    return best;
  }

  point(pointed) {
    this.pointed = pointed;
    this.card.hidden = !pointed;
    if (pointed) {
      const { name, x, y, panel } = this.lines[pointed.line];
      this.card.textContent = `${name} · ${told(x[pointed.n])}: ${told(y[pointed.n])}`;
      const left = this.across(this.panels[panel], x[pointed.n]);
      this.card.style.translate = left > this.svg.clientWidth / 2 ? `calc(${left}px - 100% - 0.8rem)` : `calc(${left}px + 0.8rem)`;
      this.card.style.top = `${this.svg.offsetTop + this.up(this.panels[panel], y[pointed.n]) - 2.4 * this.em}px`;
    }
    this.draw();
  }

  press(event) {
    const from = this.at(event);
    if (this.inside(this.panels[0], from.x, from.y)) this.drag = { from };
    event.preventDefault(); // the focus is for those who come by keyboard
    this.svg.setPointerCapture(event.pointerId);
  }

  move(event) {
    const here = this.at(event);
    if (this.drag && (this.drag.to || Math.hypot(here.x - this.drag.from.x, here.y - this.drag.from.y) > 5)) {
      this.drag.to = here;
      this.draw();
    } else if (!this.drag) this.point(this.nearest(here));
  }

  release(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag?.to) return this.pick(this.nearest(this.at(event)));
    const panel = this.panels[0];
    const steps = [drag.from.x, drag.to.x].map((x) => panel.xs[0] + ((x - panel.x) / panel.w) * (panel.xs[1] - panel.xs[0]));
    const losses = [drag.from.y, drag.to.y].map((y) => panel.ys[1] - ((y - panel.y) / panel.h) * (panel.ys[1] - panel.ys[0]));
    const sort = (pair) => pair.sort((a, b) => a - b);
    this.draw((this.zoom = { x: sort(steps), y: sort(losses) }));
  }

  pick(found) {
    if (found && this.lines[found.line].panel === 0) this.send("point", { line: found.line, step: this.lines[found.line].x[found.n] });
  }

  key(event) {
    const turn = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (turn) {
      const { line, n } = this.pointed ?? { line: 0, n: this.lines[0].x.length - 1 };
      const last = this.lines[line].x.length - 1;
      if (last >= 0) this.point({ line, n: Math.min(Math.max(n + turn, 0), last) });
    } else if (["ArrowUp", "ArrowDown"].includes(event.key) && this.lines[1].x.length) {
      const line = this.pointed?.line === 1 ? 0 : 1;
      this.point({ line, n: this.lines[line].x.length - 1 });
    } else if (event.key === "Enter") this.pick(this.pointed);
    else if (event.key === "Escape") this.draw((this.zoom = null));
    else return;
    event.preventDefault();
    event.stopPropagation(); // the arrow keys also turn pages
  }
}

function draw({ data, parentElement, setTriggerValue }) {
  const frame = parentElement.querySelector(".curves");
  let view = VIEWS.get(frame);
  if (!view) VIEWS.set(frame, (view = new View(parentElement)));
  view.update(data, setTriggerValue);
}
