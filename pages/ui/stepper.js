// Counts steps where they are clicked. What a hand has reached stays until the server has answered that very message.

const STEPPERS = new WeakMap()

class Stepper {
  constructor(root) {
    this.row = root.querySelector(".go")
    this.said = root.querySelector("span")
    this.slider = root.querySelector("input")
    this.number = Date.now() // of the last message
    this.slider.addEventListener("input", () => this.show(this.slider.valueAsNumber))
    this.slider.addEventListener("change", () => this.reach(this.slider.valueAsNumber))
    root.addEventListener("keydown", (event) => event.key.startsWith("Arrow") && event.stopPropagation()) // they also turn pages
  }

  update({ label, value, most, buttons, answered }, send) {
    this.label = label
    this.send = send
    this.slider.max = most
    this.slider.ariaLabel = label
    if (this.row.childElementCount !== buttons.length) this.row.replaceChildren(...buttons.map(() => document.createElement("button")))
    buttons.forEach(([count, text], place) => {
      const button = this.row.children[place]
      if (button.textContent !== text) button.textContent = text
      button.onclick = () => this.reach(count ? this.slider.valueAsNumber + count : 0)
    })
    if (answered >= this.number || this.reached === undefined) this.show(value)
  }

  reach(value) {
    this.reached = Math.min(value, this.slider.max)
    this.number = Math.max(this.number + 1, Date.now())
    this.show(this.reached)
    this.send("reached", { number: this.number, value: this.reached })
  }

  show(value) {
    this.slider.value = value
    this.said.textContent = this.slider.ariaValueText = `${this.label} · ${value}`
    this.slider.style.setProperty("--done", `${(100 * value) / this.slider.max}%`)
  }
}

function draw({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".stepper")
  if (!STEPPERS.has(root)) STEPPERS.set(root, new Stepper(root))
  STEPPERS.get(root).update(data, setStateValue)
}
