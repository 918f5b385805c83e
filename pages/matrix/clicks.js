// Listens to a picture that the page has drawn as HTML, and reports the part that is clicked or entered.

const REDRAWN = 1500; // ms in which the page may draw the picture anew
const SILENCE = new WeakMap(); // picture → ends the listening of an earlier run, which a rerun would otherwise add to

function draw({ data, parentElement, setTriggerValue }) {
  const picture = (parentElement.host ?? parentElement).ownerDocument.querySelector(data.within);
  const choose = (event, byKeyboard) => {
    const part = event.target.closest("[data-place]");
    if (!part) return;
    if (byKeyboard) event.preventDefault();
    else part.blur(); // the arrow keys are the page's again
    keepPlace(picture, part, byKeyboard);
    setTriggerValue("part", { ...part.dataset });
  };
  const click = (event) => choose(event, false);
  const enter = (event) => ["Enter", " "].includes(event.key) && choose(event, true);
  SILENCE.get(picture)?.();
  const listening = new AbortController();
  picture.addEventListener("click", click, listening);
  picture.addEventListener("keydown", enter, listening);
  picture.dataset.listens = "yes";
  SILENCE.set(picture, () => listening.abort());
  return SILENCE.get(picture);
}

/** The picture is drawn anew with the part picked: it stays scrolled, and who came by keyboard stays there. */
function keepPlace(picture, part, byKeyboard) {
  const { scrollTop, scrollLeft } = picture.querySelector(".scrolls") ?? {};
  const watch = new MutationObserver(() => {
    if (part.isConnected) return;
    watch.disconnect();
    picture.querySelector(".scrolls")?.scrollTo(scrollLeft, scrollTop);
    if (byKeyboard) picture.querySelector(".picked")?.focus();
  });
  watch.observe(picture, { childList: true, subtree: true });
  setTimeout(() => watch.disconnect(), REDRAWN);
}
