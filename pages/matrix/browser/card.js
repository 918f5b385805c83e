// The card: the elements that show a readout.

const PAIRED = 8; // more names with a number each stand two to a line

/** Words that stay together, and with the name that they follow; a line may end after them. */
function phrase(text) {
  const words = Object.assign(document.createElement("span"), { textContent: text.trimEnd().replace(/^ /, "\u00a0") });
  return text.endsWith(" ") ? [words, " "] : [words];
}

/** The card's elements, filled by `show`; its height depends on the scene alone. */
function makeCard(root) {
  const find = (name) => root.querySelector(name);
  const [title, reason, list, what, number, note] = [".title", ".reason", ".lines", ".what", ".number", ".note"].map(
    find,
  );
  const columns = ["label", "a", "op", "b", "value"];
  let lines = [];
  let digits = 4;

  function fillTitle({ template, matrix, row, column }, theme) {
    title.replaceChildren(
      ...template
        .split(/(\{row\} \+ \{column\}|\{\w+\})/)
        .filter(Boolean)
        .flatMap((part) => {
          const said = {
            "{row} + {column}": [{ text: String(Number(row.text) + Number(column.text)) }, matrix.rowRole], // of a folded row
            "{row}": [row, matrix.rowRole],
            "{column}": [column, matrix.columnRole],
            "{name}": [{ text: matrix.name }, matrix.role],
          }[part];
          if (!said) return phrase(part);
          const strong = document.createElement("b");
          strong.textContent = said[0].text;
          strong.style.color = theme.letters(said[1]);
          if (said[0].token) strong.className = "token";
          return strong;
        }),
    );
  }

  function fillLine(spans, line, theme) {
    const [label, a, op, b, value] = spans;
    const given = line ?? {};
    label.textContent = given.label ?? "";
    label.className = [
      "label",
      given.wide && "wide",
      given.token && "token",
      (given.soft || given.faded) && "soft",
      given.strong && "strong",
    ]
      .filter(Boolean)
      .join(" ");
    label.style.color = given.role ? theme.letters(given.role) : "";
    for (const [span, part] of [
      [a, given.a],
      [b, given.b],
    ]) {
      span.textContent = part?.[0] ?? "";
      span.style.color = part ? theme.letters(part[1]) : "";
    }
    op.textContent = given.op ?? "";
    a.style.gridColumn = given.spread ? "2 / 5" : "";
    for (const span of [a, op, b]) span.hidden = Boolean(given.wide || (given.spread && span !== a));
    value.textContent = given.value ?? "";
    value.className = ["value", given.faded && "soft", given.strong && "strong"].filter(Boolean).join(" ");
  }

  /** Reserve the tallest a text block gets over some candidates, so that its height never changes. */
  function reserve(element, fills) {
    element.style.height = "auto";
    const heights = fills.map((fill) => (fill(), element.offsetHeight));
    element.style.height = `${Math.max(0, ...heights)}px`;
  }

  return {
    prepare(scene, theme) {
      const { words, kind } = scene.readout;
      digits = 4;
      const count = lineCount(scene);
      lines = Array.from({ length: count }, () =>
        columns.map((name) => Object.assign(document.createElement("span"), { className: name })),
      );
      list.replaceChildren(...lines.flat());
      const paired = kind === "value" && count > PAIRED;
      list.classList.toggle("paired", paired);
      list.style.height = `calc(${paired ? Math.ceil(count / 2) : count} * var(--line))`;
      list.style.display = count ? "" : "none";
      note.textContent = words.note ?? "";
      const longest = (matrix, axis, count) =>
        matrix[axis].reduce(
          (best, label, k) => (label.length > best.text.length ? labelOf(matrix, axis, k) : best),
          labelOf(matrix, axis, count - 1),
        );
      reserve(
        title,
        scene.matrices.flatMap((matrix) =>
          [words.title, words.operand ?? "{name}  {row}, {column}"].map(
            (template) => () =>
              fillTitle(
                {
                  template,
                  matrix,
                  row: longest(matrix, "rows", matrix.height),
                  column: longest(matrix, "columns", matrix.width),
                },
                theme,
              ),
          ),
        ),
      );
      reason.textContent = "";
      if (kind === "mask")
        reserve(
          reason,
          [words.allowed, words.masked].map((text) => () => (reason.textContent = text)),
        );
    },
    show(scene, point, theme) {
      let readout = explain(scene, point, digits);
      fillTitle(readout.title, theme);
      if (scene.readout.kind === "mask") reason.textContent = readout.reason ?? "\u00a0";
      const fill = () => lines.forEach((spans, k) => fillLine(spans, readout.lines[k], theme));
      fill();
      while (digits > 2 && list.scrollWidth > list.clientWidth) {
        digits--;
        readout = explain(scene, point, digits);
        fill();
      }
      what.textContent = readout.what;
      number.textContent = readout.said ?? spell(readout.of, readout.total, 4);
      number.style.color = theme.letters(readout.of.role);
      return `${title.textContent.replaceAll("\u00a0", " ")}. ${readout.what} ${number.textContent}`;
    },
  };
}
