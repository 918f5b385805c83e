// Controls, kept over reruns. What a hand has changed stays as it is until the server has answered that change.

const DESKS = new WeakMap()
const REST = 500 // ms without a key, after which what is being typed is sent

class Desk {
  constructor(root) {
    this.root = root
    this.fields = [] // {element, show(value)} of each control
    this.changes = new Map() // name → {value, number}; the number is that of the message it was sent with
    this.number = Date.now()
    const keepsArrows = ({ key, target }) => key.startsWith("Arrow") && target.localName !== "button" // they also turn pages
    root.addEventListener("keydown", (event) => keepsArrows(event) && event.stopPropagation())
  }

  update({ lines, answered }, send) {
    this.send = send
    for (const [name, change] of this.changes) if (change.number <= answered) this.changes.delete(name)
    const plan = JSON.stringify(lines, (key, part) => (key === "value" ? undefined : part))
    if (plan !== this.plan) this.build(lines) // only then: a text that is being typed must not lose its caret
    this.plan = plan
    lines.flat().forEach(({ name, value }, place) => this.fields[place].show((this.changes.get(name) ?? { value }).value))
  }

  build(lines) {
    const focused = this.root.getRootNode().activeElement?.name
    this.fields = []
    this.root.replaceChildren(
      ...lines.map((line) => {
        const row = element("div", { className: "line" })
        for (const control of line) {
          const field = FIELDS[control.kind](control, (value) => this.hold(control.name, value), () => this.commit())
          field.element.classList.add("field", control.kind)
          if (control.hint) field.element.title = control.hint
          this.fields.push(field)
          row.append(field.element)
        }
        return row
      }),
    )
    if (focused) this.root.querySelector(`[name="${focused}"]`)?.focus()
  }

  /** A change that is not sent yet: it is, after a rest or at `commit`. */
  hold(name, value) {
    this.changes.delete(name) // so that the last change comes last
    this.changes.set(name, { value, number: Infinity })
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.commit(), REST)
  }

  commit() {
    clearTimeout(this.timer)
    if (![...this.changes.values()].some(({ number }) => number === Infinity)) return
    this.number = Math.max(this.number + 1, Date.now())
    for (const change of this.changes.values()) if (change.number === Infinity) change.number = this.number
    const choices = Object.fromEntries([...this.changes].map(([name, { value }]) => [name, value]))
    this.send("asked", { number: this.number, choices })
  }
}

const FIELDS = {
  note() {
    const told = element("p", {})
    return { element: told, show: (value) => (told.textContent = value) }
  },

  alert() {
    const told = element("p", { role: "alert" })
    return { element: told, show: (value) => told.textContent !== value && (told.textContent = value) }
  },

  proven: judged,
  refuted: judged,

  text({ name, label, hint }, hold, commit) {
    const input = element("textarea", { name, placeholder: hint, rows: 4, spellcheck: false })
    const take = (event) => event.isComposing || hold(input.value)
    input.addEventListener("input", take)
    input.addEventListener("compositionend", take)
    input.addEventListener("change", commit)
    input.addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && commit())
    return { element: labelled(label, input), show: (value) => input.value !== value && (input.value = value) }
  },

  numbers(control, hold, commit) {
    const { element, show } = FIELDS.text(control, hold, commit)
    const input = element.querySelector("textarea")
    const fit = () => (input.rows = input.value.split("\n").length)
    input.addEventListener("input", fit)
    return { element, show: (value) => (show(value), fit()) }
  },

  phrases({ name, label, options }, hold, commit) {
    const choose = (value) => (hold(value), commit())
    const buttons = options.map(([value, textContent]) => element("button", { name, textContent, onclick: () => choose(value) }))
    return { element: group("group", label, buttons), show() {} }
  },

  buttons({ name, label, options }, hold, commit) {
    const inputs = options.map(([value, text]) => {
      const input = element("input", { type: "radio", name, ariaLabel: text })
      input.addEventListener("change", () => (hold(value), commit()))
      return input
    })
    const parts = inputs.map((input, place) => element("span", {}, input, options[place][1]))
    const show = (chosen) => options.forEach(([value], place) => (inputs[place].checked = value === chosen))
    return { element: group("radiogroup", label, parts), show }
  },

  tabs({ name, label, options }, hold, commit) {
    let open
    const show = (chosen) => {
      open = chosen
      options.forEach(([value], place) => (buttons[place].ariaPressed = value === chosen))
    }
    const turn = (value) => (show(value === open ? null : value), hold(open), commit())
    const buttons = options.map(([value, textContent]) => element("button", { name, textContent, onclick: () => turn(value) }))
    return { element: group("group", label, buttons), show }
  },

  select({ name, label, options }, hold, commit) {
    const input = element("select", { name }, ...options.map(([, textContent]) => element("option", { textContent })))
    input.addEventListener("change", () => (hold(options[input.selectedIndex][0]), commit()))
    const show = (chosen) => (input.selectedIndex = options.findIndex(([value]) => value === chosen))
    return { element: labelled(label, input), show }
  },

  slider({ name, label, options, locked }, hold, commit) {
    const values = Array.isArray(options) ? options.map(([value]) => value) : count(options)
    const input = element("input", { type: "range", name, min: 0, max: values.length - 1, disabled: locked })
    const whole = labelled(label, input)
    const write = (value) => {
      whole.firstChild.textContent = input.ariaValueText = label.replace("{}", value)
      input.style.setProperty("--done", `${(100 * input.value) / Math.max(1, input.max)}%`)
    }
    input.addEventListener("input", () => (write(values[input.value]), hold(values[input.value])))
    input.addEventListener("change", commit)
    return { element: whole, show: (value) => ((input.value = values.indexOf(value)), write(value)) }
  },

  number({ name, label, options, locked }, hold, commit) {
    const { low, high, step } = options
    const input = element("input", { type: "number", name, min: low, max: high, step, required: true, disabled: locked })
    input.addEventListener("input", () => input.checkValidity() && hold(input.valueAsNumber))
    input.addEventListener("change", commit)
    return { element: labelled(label, input), show: (value) => input.valueAsNumber !== value && (input.value = value) }
  },

  switch({ name, label }, hold, commit) {
    const input = element("input", { type: "checkbox", name, role: "switch" })
    input.addEventListener("change", () => (hold(input.checked), commit()))
    return { element: element("label", {}, input, label), show: (value) => (input.checked = value) }
  },
}

function judged() {
  const told = element("p", {})
  const marked = (part, place) => (place % 2 ? element("code", { textContent: part }) : part)
  return { element: told, show: (value) => told.replaceChildren(...value.split("`").map(marked)) }
}

function count({ low, high, step }) {
  return Array.from({ length: (high - low) / step + 1 }, (_, place) => low + place * step)
}

function labelled(label, input) {
  return element("label", {}, element("span", { textContent: label }), input)
}

function group(role, label, parts) {
  return element("div", { role, ariaLabel: label }, element("span", { textContent: label }), element("div", {}, ...parts))
}

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

function draw({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".desk")
  if (!DESKS.has(root)) DESKS.set(root, new Desk(root))
  DESKS.get(root).update(data, setStateValue)
  if (data.address) writeAddress(data.address)
}
