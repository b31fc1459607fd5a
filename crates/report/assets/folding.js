// What is folded opens when a link leads into it; the menu of a narrow page folds again once it has led somewhere; the
// contents mark the section that is read.
(() => {
  const contents = document.getElementById("contents");
  const menu = contents.querySelector("details");

  function unfold() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const folded = [];
    for (let place = target; place; place = place.parentElement) {
      if (place.tagName === "DETAILS" && !place.open) folded.push(place);
    }
    folded.forEach((details) => { details.open = true; });
    if (folded.length) target.scrollIntoView();
  }
  window.addEventListener("hashchange", unfold);
  unfold();

  // A link to the place that the address names already changes no address.
  document.addEventListener("click", ({ target }) => {
    const link = target.closest?.("a[href^='#']");
    if (!link) return;
    if (menu.contains(link)) menu.open = false;
    if (link.hash === location.hash) unfold();
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") menu.open = false;
  });

  const links = [...menu.querySelectorAll("a[href^='#']")];
  const sections = links.map((link) => document.getElementById(link.hash.slice(1)));
  const READ_FROM = 120; // px from the top of the window: a section that begins above is being read
  let waiting = false;
  function mark() {
    waiting = false;
    let read = -1;
    sections.forEach((section, index) => {
      if (section && section.getBoundingClientRect().top < READ_FROM) read = index;
    });
    links.forEach((link, index) => {
      if (index === read) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    });
  }
  document.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(mark);
  }, { passive: true });
  mark();
})();
