// The top of a page: where we are, back and forth (also with the arrow keys), and the walk as links that a new tab can open too.

const TYPING = "input, textarea, select, [contenteditable], [role=slider], [role=listbox], [role=combobox], [role=tree]"
const SILENCE = new WeakMap() // header → ends the listening of an earlier run
// The root's size of type, in which everything else is measured: it grows with the window, and more so in the lecture hall.
const TYPE = { desk: "clamp(17px, 1vw, 22px)", hall: "clamp(19px, 1.25vw, 30px)" }

function draw({ data, parentElement, setTriggerValue }) {
  const header = parentElement.querySelector(".walk")
  const turn = (page) => page && setTriggerValue("page", page.name)
  document.documentElement.classList.toggle("hall", data.hall)
  document.documentElement.style.fontSize = data.hall ? TYPE.hall : TYPE.desk
  header.querySelector("h1 span").textContent = data.chapter
  header.querySelector("h1 b").textContent = data.title
  header.querySelector("p").textContent = data.position
  for (const step of ["back", "next"]) {
    const button = header.querySelector(`button.${step}`)
    button.textContent = data[step].label
    button.disabled = !data[step].page
    button.onclick = () => turn(data[step].page)
  }
  const nav = header.querySelector("nav")
  nav.setAttribute("aria-label", data.map)
  nav.replaceChildren(...data.chapters.map(chapter))

  const press = (event) => {
    const step = { ArrowLeft: "back", ArrowRight: "next" }[event.key]
    const held = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.repeat
    if (!step || held || event.defaultPrevented || event.composedPath()[0].closest?.(TYPING)) return
    turn(data[step].page)
  }
  SILENCE.get(header)?.()
  const listening = new AbortController()
  document.addEventListener("keydown", press, listening)
  SILENCE.set(header, () => listening.abort())
  return SILENCE.get(header)

  function chapter({ name, pages }) {
    const section = element("section", pages.some(isHere) ? "open" : "")
    const alone = pages.length === 1
    const first = link(pages[0], name)
    first.className = alone && isHere(pages[0]) ? "chapter here" : "chapter"
    section.append(first, ...(alone ? [] : pages.map((page) => link(page, page.label))))
    return section
  }

  function link(page, label) {
    const anchor = element("a", isHere(page) ? "here" : "")
    anchor.textContent = label
    anchor.title = page.title
    anchor.setAttribute("aria-label", page.title)
    if (isHere(page)) anchor.setAttribute("aria-current", "page")
    anchor.href = location.pathname.replace(/[^/]*$/, page.path) + location.search
    anchor.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      turn(page)
    })
    return anchor
  }

  function isHere(page) {
    return page.name === data.here
  }

  function element(tag, className) {
    const made = document.createElement(tag)
    made.className = className
    return made
  }
}
