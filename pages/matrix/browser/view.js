// The view: one canvas on the page, kept over reruns; pointer, keyboard, theme and size.

const VIEWS = new WeakMap();
const FADE = 150; // ms
const LEAST = 18; // rem: a picture is never made smaller than this to fit the window
const BELOW = 4.3; // rem: what a page needs under its picture
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

class View {
  constructor(root) {
    this.root = root;
    this.frame = root.querySelector(".scene");
    this.still = root.querySelector(".still");
    this.lit = root.querySelector(".lit");
    this.lens = root.querySelector(".lens");
    this.spoken = root.querySelector(".spoken");
    this.card = makeCard(root);
    this.pending = [];
    this.pointed = null; // {source: "pointer" | "keyboard", matrix, row, column}
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.frame);
    this.observer.observe(root.querySelector(".card")); // its width is in rem: it tells when the root font changes
    this.page = (this.frame.getRootNode().host ?? this.frame).closest(".stMain");
    if (this.page) this.observer.observe(this.page.firstElementChild); // what stands above may grow or shrink
    this.onResize = () => this.resize();
    window.addEventListener("resize", this.onResize);
    this.listen();
    Object.defineProperties(this.lit, {
      boxes: { configurable: true, get: () => this.geometry() },
      lights: { configurable: true, get: () => lights(this.scene, this.current()) },
    });
  }

  dispose() {
    this.observer.disconnect();
    window.removeEventListener("resize", this.onResize);
    cancelAnimationFrame(this.fading);
  }

  /** New data from the server: adopt its selection unless a later click is still on its way. */
  update(data, send) {
    this.send = send;
    const known = this.pending.findIndex((cell) => cell.join() === data.selected.join());
    this.pending = known < 0 ? [] : this.pending.slice(known + 1);
    if (!this.pending.length) this.selected = data.selected;
    const shape = (scene) =>
      scene?.matrices.map((matrix) => [matrix.height, matrix.width]).join(";") + JSON.stringify(scene?.lines);
    const before = shape(this.scene);
    this.scene = decodeScene(data, this.scene);
    if (before !== shape(this.scene)) this.pointed = this.preferred = null;
    this.resize(true);
  }

  resize(force = false) {
    if (!this.scene) return;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const ratio = window.devicePixelRatio || 1;
    const width = Math.floor(this.frame.clientWidth);
    const tall = this.tallness(rem);
    const size = [width, rem, ratio, tall].join();
    if (!width || (!force && size === this.size)) return;
    this.size = size;
    this.ratio = ratio;
    this.theme = readTheme(this.frame);
    this.frame.style.setProperty("--mono", this.theme.mono);
    this.frame.style.setProperty("--soft", this.theme.soft);
    this.frame.classList.toggle("narrow", width < (700 * rem) / 17);
    this.frame.classList.toggle("naming", NAMING.includes(this.scene.readout.kind)); // lines that begin with a token
    const rulerFor = (times) => makeRuler(this.lit.getContext("2d"), this.theme, times * rem, ratio);
    this.ruler = rulerFor(1);
    const aside = this.frame.classList.contains("narrow")
      ? 0
      : this.root.querySelector(".card").offsetWidth + 1.25 * rem;
    const room = { width: Math.floor(width - aside), height: tall };
    this.picture = arrange(this.scene, rulerFor, room);
    for (const canvas of [this.still, this.lit]) {
      canvas.width = Math.round(this.picture.width * ratio);
      canvas.height = Math.round(this.picture.height * ratio);
      canvas.style.width = `${this.picture.width}px`;
      canvas.style.height = `${this.picture.height}px`;
    }
    const names = this.scene.matrices.map((matrix) => `${matrix.name} ${titleOf(matrix)}`);
    this.lit.setAttribute("aria-label", names.join(", "));
    this.lens.style.display = this.picture.boxes.some((box) => box.decimals === null) ? "" : "none";
    paintStill(this.still.getContext("2d"), this.picture, this.theme, this.picture.ruler, ratio);
    this.card.prepare(this.scene, this.theme);
    for (this.lensLines of this.scene.below ? [0] : [5, 3, 0]) { // a card that the page has counted in has no lens
      this.lens.style.display = this.lensLines ? this.lens.style.display : "none";
      this.show(false);
      if (this.root.querySelector(".card").offsetHeight <= tall) break;
    }
    this.lit.dataset.revision = Number(this.lit.dataset.revision ?? 0) + 1;
  }

  /** Px for the picture: what was asked for, or what the window has left below the picture's top. */
  tallness(rem) {
    if (this.scene.height) return Math.round((this.scene.height * rem) / 17);
    const top = this.frame.getBoundingClientRect().top + (this.page?.scrollTop ?? 0);
    const [least, below] = this.scene.below ? [LEAST / 2, this.scene.below] : [LEAST, BELOW];
    return Math.round(Math.max(least * rem, window.innerHeight - top - below * rem));
  }

  chosen() {
    return pointOf(this.scene, this.selected, this.preferred);
  }

  current() {
    return this.pointed ?? this.chosen();
  }

  /** Light the pointed cell, or the selected one when nothing is pointed at. */
  show(fade = true) {
    const [chosen, point] = [this.chosen(), this.current()];
    const spoken = this.card.show(this.scene, point, this.theme);
    const box = this.picture.boxes[point.matrix];
    const caption = this.lens.querySelector("figcaption");
    caption.textContent = box.matrix.name;
    caption.style.color = this.theme.letters(box.matrix.role);
    if (this.lens.style.display !== "none")
      paintLens(this.lens.querySelector("canvas"), box, point, this.theme, this.ruler, this.ratio, this.lensLines);
    this.lit.dataset.selected = this.selected.join();
    this.lit.dataset.point = [point.matrix, point.row, point.column].join();
    if (this.pointed?.source === "keyboard" || !this.pointed) this.spoken.textContent = spoken;
    this.fadeIn(point, chosen, fade && !matchMedia("(prefers-reduced-motion: reduce)").matches);
  }

  fadeIn(point, chosen, moves) {
    cancelAnimationFrame(this.fading);
    const begun = performance.now();
    const pen = this.lit.getContext("2d");
    const paint = (now) => {
      const strength = moves ? Math.min(1, 0.45 + (0.55 * Math.max(0, now - begun)) / FADE) : 1;
      paintLight(pen, this.scene, this.picture, point, chosen, strength, this.theme, this.picture.ruler, this.ratio);
      if (strength < 1) this.fading = requestAnimationFrame(paint);
    };
    paint(begun);
  }

  cellAt(event) {
    const { left, top } = this.lit.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    const box = this.picture.boxes.find((one) => x >= one.x && x < one.right && y >= one.y && y < one.bottom);
    if (!box) return null;
    const row = Math.floor((y - box.y) / box.cellHeight);
    if (box.matrix.link === "row" && box.matrix.index !== this.scene.readout.result) return this.beside(row);
    return { matrix: box.matrix.index, row, column: Math.floor((x - box.x) / box.cellWidth) };
  }

  /** A column that says something of whole rows stands for the result's cell in this row and the selected column. */
  beside(row) {
    const { index, offset } = this.scene.matrices[this.scene.readout.result];
    return pointOf(this.scene, [row + offset[0], this.selected[1]], index);
  }

  point(cell, source) {
    const [before, after] = [this.pointed, cell].map((one) => one && [one.matrix, one.row, one.column].join());
    if (before === after) return;
    this.pointed = cell && { source, ...cell };
    this.show();
  }

  /** Keep a cell lit and tell the server. A product's operands choose a row or a column and keep the other. */
  select(cell) {
    const [i, j] = coordinates(this.scene, cell);
    const chosen = [i ?? this.selected[0], j ?? this.selected[1]];
    this.selected = chosen;
    this.preferred = this.scene.kind === "product" ? null : cell.matrix;
    this.show(false);
    if (!this.scene.listens) return;
    this.pending.push(chosen);
    this.send("cell", { matrix: cell.matrix, i: chosen[0], j: chosen[1] });
  }

  key(event) {
    if (event.altKey || event.metaKey) return;
    const point = this.current();
    const { height, width } = this.scene.matrices[point.matrix];
    const last = { row: event.ctrlKey ? height - 1 : point.row, column: width - 1 };
    const acts = {
      Enter: () => this.select(point),
      " ": () => this.select(point),
      Escape: () => this.point(null, "keyboard"),
      Home: () => this.point({ matrix: point.matrix, row: event.ctrlKey ? 0 : point.row, column: 0 }, "keyboard"),
      End: () => this.point({ matrix: point.matrix, ...last }, "keyboard"),
    };
    const act =
      event.key in ARROWS ? () => this.point(neighbour(this.picture, point, ARROWS[event.key]), "keyboard") : acts[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  listen() {
    this.lit.addEventListener("pointermove", (event) => this.picture && this.point(this.cellAt(event), "pointer"));
    this.lit.addEventListener("pointerleave", () => this.pointed?.source === "pointer" && this.point(null, "pointer"));
    this.lit.addEventListener("blur", () => this.pointed?.source === "keyboard" && this.point(null, "keyboard"));
    this.lit.addEventListener("click", (event) => {
      const cell = this.picture && this.cellAt(event);
      if (cell) this.select(cell);
    });
    this.lit.addEventListener("keydown", (event) => this.picture && this.key(event));
  }

  /** Where each matrix stands on the canvas, in px. */
  geometry() {
    return this.picture.boxes.map(({ matrix, x, y, cellWidth, cellHeight }) => ({
      name: matrix.name,
      x,
      y,
      cellWidth,
      cellHeight,
      rows: matrix.height,
      columns: matrix.width,
    }));
  }
}

function draw({ data, parentElement, setTriggerValue }) {
  const frame = parentElement.querySelector(".scene");
  let view = VIEWS.get(parentElement);
  if (view?.frame !== frame) {
    view?.dispose();
    VIEWS.set(parentElement, (view = new View(parentElement)));
  }
  view.update(data, setTriggerValue);
  return () => {
    view.dispose();
    VIEWS.delete(parentElement);
  };
}
