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

// On a narrow screen, labels open the menu and the search, and Tab passes labels by.
// Buttons in their place keep the attribute by which the theme's styles know them.
const names = { __drawer: ".md-nav--primary", __search: ".md-search__input" };
for (const label of document.querySelectorAll(".md-header label.md-header__button")) {
  const named = names[label.htmlFor] && document.querySelector(names[label.htmlFor]);
  if (!named) continue;
  const button = document.createElement("button");
  button.className = label.className;
  button.setAttribute("for", label.htmlFor);
  button.setAttribute("aria-label", named.getAttribute("aria-label"));
  button.append(...label.childNodes);
  button.addEventListener("click", () => document.getElementById(label.htmlFor).click());
  label.replaceWith(button);
}
