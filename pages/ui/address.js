// Writes the choices of this run into the address, in place: back and forth lead from page to page.
// The cookie tells this browser's runs from those of others; it holds a random word and nothing else.
function writeAddress({ page, query, learner }) {
  document.cookie = `learner=${learner}; path=/; max-age=31536000; samesite=lax`
  if (page !== location.pathname.split("/").pop()) return // the browser has turned the page meanwhile
  const embedding = [...new URLSearchParams(location.search)].filter(([name]) => name.startsWith("embed"))
  const whole = [query, new URLSearchParams(embedding).toString()].filter(Boolean).join("&")
  if (whole !== location.search.slice(1)) history.replaceState(history.state, "", location.pathname + (whole && `?${whole}`))
}
