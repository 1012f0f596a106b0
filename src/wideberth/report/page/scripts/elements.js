// Builds the page out of facts. Text reaches it as text nodes only: nothing in the facts is ever read as HTML.
const facts = JSON.parse(document.getElementById("facts").textContent);
const classes = facts.learned.classes.map((each) => each.name);
const SVG = "http://www.w3.org/2000/svg";

/** Makes an element: attributes, properties that begin with "on" as listeners, then children, which are elements or texts. */
function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

const button = (action, content, attributes = {}) => make("button", { type: "button", onclick: action, ...attributes }, content);

function makeSvg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const percent = (share, digits = 1) => (share === null ? "unknown" : `${(100 * share).toFixed(digits)}%`);
const whole = (number) => number.toLocaleString("en-US");
function short(number) {
  if (number === null || number === undefined) return "–";
  return Number.isInteger(number) ? whole(number) : String(Number(number.toPrecision(3)));
}
/** A radius, rounded down: what is shown is proved too. */
function down(number) {
  const unit = 10 ** (Math.floor(Math.log10(number)) - 2);
  return number > 0 && !Number.isInteger(number) ? short(Math.floor(number / unit) * unit) : short(number);
}
const plural = (n, one, many) => `${whole(n)} ${n === 1 ? one : many}`;
function far(distance) {
  if (distance === 0) return "equal";
  const unit = facts.learned.unit;
  return unit ? `${short(distance)} ${unit}${distance === 1 ? "" : "s"}` : `at ${short(distance)}`;
}

// ---- colours and shapes of classes: both differ, for people who do not see colours ---------------------------------------
const COLOURS = 10;
const SHAPES = ["circle", "triangle", "square", "diamond", "cross", "star", "wye"];
// the largest classes come first, so that they never share a colour
const rank = [];
classes
  .map((_, code) => code)
  .sort((a, b) => facts.learned.classes[b].size - facts.learned.classes[a].size || a - b)
  .forEach((code, place) => {
    rank[code] = place;
  });
const colour = (code) => `var(--c${rank[code] % COLOURS})`;
const shape = (code) => SHAPES[rank[code] % SHAPES.length];
const line = (number) => `var(--c${number % COLOURS})`;
const PATHS = {
  circle: "M 0 -5 A 5 5 0 1 1 0 5 A 5 5 0 1 1 0 -5 Z",
  triangle: "M 0 -6 L 5.4 3.8 L -5.4 3.8 Z",
  square: "M -4.5 -4.5 H 4.5 V 4.5 H -4.5 Z",
  diamond: "M 0 -6.5 L 4.8 0 L 0 6.5 L -4.8 0 Z",
  cross: "M -2 -6 H 2 V -2 H 6 V 2 H 2 V 6 H -2 V 2 H -6 V -2 H -2 Z",
  star: "M 0 -6.5 L 1.6 -2.1 L 6.2 -2 L 2.5 .9 L 3.8 5.3 L 0 2.7 L -3.8 5.3 L -2.5 .9 L -6.2 -2 L -1.6 -2.1 Z",
  wye: "M -1.8 -1 L -5.6 -3.2 L -3.8 -6.3 L 0 -4.1 L 3.8 -6.3 L 5.6 -3.2 L 1.8 -1 V 6 H -1.8 Z",
};
function key(code) {
  const drawn = makeSvg("svg", { viewBox: "-8 -8 16 16", class: "key", "aria-hidden": "true" });
  drawn.append(makeSvg("path", { d: PATHS[shape(code)], fill: colour(code) }));
  return drawn;
}
const classMark = (code) => make("span", { class: "class" }, key(code), " ", classes[code]);

function section(id, title, ...children) {
  const made = make("section", { id, "aria-labelledby": `${id}-title` }, make("h2", { id: `${id}-title` }, title), children);
  document.getElementById("report").append(made);
  document.getElementById("sections").append(make("a", { href: `#${id}` }, title));
  return made;
}
/** A chart of Plot as one image with one name: the names that Plot gives to groups of marks mean nothing to a screen reader. */
function chart(options) {
  const svg = Plot.plot(options);
  svg.setAttribute("role", "img");
  svg.querySelectorAll("g[aria-label]").forEach((group) => group.removeAttribute("aria-label"));
  return svg;
}
const because = (reason) => make("p", { class: "note" }, reason);

/** A table; numbers go to the right. */
function table(heads, rows, attributes = {}) {
  const numeric = heads.map(
    (_, place) => rows.length > 0 && rows.every((row) => typeof row[place] === "number" || row[place] === null),
  );
  const cell = (tag, value, place, more = {}) =>
    make(
      tag,
      { class: numeric[place] ? "number" : null, ...more },
      typeof value === "number" || value === null ? short(value) : value,
    );
  return make(
    "table",
    attributes,
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        heads.map((head, place) => cell("th", head, place, { scope: "col" })),
      ),
    ),
    make(
      "tbody",
      {},
      rows.map((row) =>
        make(
          "tr",
          {},
          row.map((value, place) => cell("td", value, place)),
        ),
      ),
    ),
  );
}

/** A figure with its caption, and its numbers as a table that opens on request. */
function figure(drawn, caption, heads, rows) {
  const numbers = make("details", {}, make("summary", {}, "The numbers as a table"));
  numbers.addEventListener("toggle", () => {
    if (numbers.open && numbers.childElementCount === 1) {
      numbers.append(
        make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" }, table(heads, rows())),
      );
    }
  });
  return make("figure", {}, drawn, make("figcaption", {}, caption), numbers);
}

/** Draws again whenever the width of its place changes. */
function fitted(place, draw) {
  let before = 0;
  new ResizeObserver(() => {
    const width = Math.floor(place.clientWidth);
    if (width && Math.abs(width - before) > 1) {
      before = width;
      requestAnimationFrame(() => draw(width)); // not inside the observer, whose place it may change
    }
  }).observe(place);
}
