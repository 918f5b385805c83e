// Keeps what each canvas shows in words: the four corners of every text's ink in px of the canvas, its size and colour.
(() => {
  const pen = CanvasRenderingContext2D.prototype;
  const { fillText, clearRect } = pen;
  const shown = new Map();
  pen.clearRect = function (...area) {
    shown.set(this.canvas, []);
    return clearRect.apply(this, area);
  };
  pen.fillText = function (text, x, y) {
    const ink = this.measureText(text);
    const [left, right] = [x - ink.actualBoundingBoxLeft, x + ink.actualBoundingBoxRight];
    const [top, bottom] = [y - ink.actualBoundingBoxAscent, y + ink.actualBoundingBoxDescent];
    const corners = [[left, top], [right, top], [right, bottom], [left, bottom]].map(([a, b]) => {
      const at = this.getTransform().transformPoint(new DOMPoint(a, b));
      return [at.x, at.y];
    });
    const size = parseFloat(this.font.match(/([\d.]+)px/)[1]);
    if (!shown.has(this.canvas)) shown.set(this.canvas, []);
    shown.get(this.canvas).push({ text, corners, size, color: this.fillStyle });
    return fillText.apply(this, arguments);
  };
  window.drawnTexts = () =>
    [...shown].flatMap(([canvas, texts]) => (canvas.isConnected && canvas.closest(".picture") ? texts : []));
})();
