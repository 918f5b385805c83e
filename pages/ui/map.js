// The walk as links: chapters in a row, the one we are in opened, every page a link that a new tab can open too.
export default function ({ data, parentElement, setTriggerValue }) {
  const nav = parentElement.querySelector("nav")
  nav.setAttribute("aria-label", data.label)
  nav.replaceChildren(...data.chapters.filter(({ pages }) => pages.length).map(chapter))

  function chapter({ name, pages }) {
    const section = element("section", pages.some((page) => page.name === data.here) ? "open" : "")
    const first = link(pages[0], name)
    first.className = "chapter"
    section.append(first, ...pages.map((page) => link(page, page.label)))
    return section
  }

  function link(page, label) {
    const anchor = element("a", page.name === data.here ? "here" : "")
    anchor.textContent = label
    anchor.title = page.title
    anchor.setAttribute("aria-label", page.title)
    if (page.name === data.here) anchor.setAttribute("aria-current", "page")
    anchor.href = location.pathname.replace(/[^/]*$/, page.path) + location.search
    anchor.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      setTriggerValue("page", page.name)
    })
    return anchor
  }

  function element(tag, className) {
    const made = document.createElement(tag)
    made.className = className
    return made
  }
}
