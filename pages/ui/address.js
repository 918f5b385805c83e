// Writes the choices of this run into the address, in place: back and forth lead from page to page.
// The cookie tells this browser's runs from those of others; it holds a random word and nothing else.
function draw({ data }) {
  document.cookie = `learner=${data.learner}; path=/; max-age=31536000; samesite=lax`
  if (data.page !== location.pathname.split("/").pop()) return // the browser has turned the page meanwhile
  const embedding = [...new URLSearchParams(location.search)].filter(([name]) => name.startsWith("embed"))
  const query = [data.query, new URLSearchParams(embedding).toString()].filter(Boolean).join("&")
  if (query !== location.search.slice(1)) history.replaceState(history.state, "", location.pathname + (query && `?${query}`))
}
