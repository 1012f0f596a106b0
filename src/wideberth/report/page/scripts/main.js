// Light or dark, as the reader's system has it, until the reader chooses.
function themes() {
  const button = document.getElementById("theme"),
    wish = window.matchMedia("(prefers-color-scheme: dark)");
  let own = null;
  const apply = () => {
    const dark = own === null ? wish.matches : own;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-pressed", String(dark));
    redraws.forEach((redraw) => redraw());
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    own = document.documentElement.dataset.theme !== "dark";
    apply();
  });
  wish.addEventListener("change", apply);
  apply();
}

themes();
mapSection();
mistakesSection();
rowsSection();
columnsSection();
trustSection();
choiceSection();
distanceSection();
objectsSection();
fillFirstRows();

/** An address that ends with #object-17 opens the page with that object. */
function openAsked() {
  const asked = /^#object-(\d+)$/.exec(window.location.hash);
  if (asked && placeOf.has(Number(asked[1]))) choose(Number(asked[1]));
}
window.addEventListener("hashchange", openAsked);
openAsked();
