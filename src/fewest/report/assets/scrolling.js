// Parts that are wider than the page scroll by themselves; a line above says so, and their edges fade
// where something follows.

function watchEdges(part) {
  const hint = document.createElement("p");
  hint.className = "hint";
  hint.setAttribute("aria-hidden", "true");
  hint.textContent = "more at the right: scroll sideways →";
  part.before(hint);
  const update = () => {
    const right = part.scrollWidth - part.clientWidth, below = part.scrollHeight - part.clientHeight;
    hint.hidden = right <= 1;
    part.classList.toggle("more-right", right > 1 && part.scrollLeft < right - 1);
    part.classList.toggle("more-below", below > 1 && part.scrollTop < below - 1);
  };
  part.addEventListener("scroll", update, { passive: true });
  const watcher = new ResizeObserver(update);
  for (const one of [part, part.firstElementChild]) watcher.observe(one);
}

for (const part of document.querySelectorAll(".wide-table, .wide-figure")) watchEdges(part);

// On paper nothing scrolls: what is wider than the page is made smaller.
const PAPER = 690;
window.addEventListener("beforeprint", () => {
  document.body.classList.add("printing");
  for (const table of document.querySelectorAll(".wide-table table")) {
    if (table.scrollWidth > PAPER) table.style.zoom = PAPER / table.scrollWidth;
  }
});
window.addEventListener("afterprint", () => {
  document.body.classList.remove("printing");
  for (const table of document.querySelectorAll(".wide-table table")) table.style.zoom = "";
});
