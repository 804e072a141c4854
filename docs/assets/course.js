// Small repairs of the theme; every page reads well without them.

// The language switch keeps the reader at the heading that is being read.
function currentHeading() {
  const passed = [...document.querySelectorAll("article :is(h1, h2, h3)[id]")]
    .filter((heading) => heading.getBoundingClientRect().top
      < parseFloat(getComputedStyle(heading).scrollMarginTop) + 4);
  return scrollY > 0 && passed.length ? passed.at(-1).id : "";
}

for (const link of document.querySelectorAll(".md-select__link")) {
  link.addEventListener("click", () => { link.hash = currentHeading(); });
}

// On a narrow screen the menu and search buttons are labels, which Tab passes by.
// The theme already clicks a focused label on Enter.
for (const label of document.querySelectorAll("label.md-header__button[for^=__]")) {
  const hint = { __drawer: ".md-nav--primary", __search: ".md-search__input" }[label.htmlFor];
  if (!hint) continue;
  label.tabIndex = 0;
  label.setAttribute("role", "button");
  label.setAttribute("aria-label", document.querySelector(hint).getAttribute("aria-label"));
}
