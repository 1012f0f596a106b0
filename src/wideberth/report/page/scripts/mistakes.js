// Which classes are taken for which others, and by how much the right label leads.
const MOST_CLASSES = 14; // of a table; with more classes, those with the most mistakes

const FIRST_CARDS = 9;

/** A list of cards, of which the first are shown, and the others on request. */
function someCards(items) {
  const list = make("ul", { class: "cards small listed" }, items.slice(0, FIRST_CARDS));
  if (items.length <= FIRST_CARDS) return list;
  const more = make("button", { type: "button", class: "plain" }, `Show all ${whole(items.length)}`);
  more.addEventListener("click", () => {
    list.append(...items.slice(FIRST_CARDS));
    more.remove();
  });
  return [list, more];
}

/** A list of objects, each of which can be chosen. */
function cards(indices, saying) {
  if (isTable)
    return rowsTable(
      "Table of rows",
      indices.map((index, number) => [{ index, said: saying ? saying(index, number) : classMark(labelOf(index)) }]),
    );
  return someCards(
    indices.map((index, number) =>
      make(
        "li",
        {},
        make("div", {}, opener(index)),
        make("div", { class: "soft" }, rowName(index)),
        make("div", { class: "said" }, saying ? saying(index, number) : null),
      ),
    ),
  );
}

function confusionTable(cells, place) {
  const mistakes = classes.map(() => 0),
    counts = new Map(),
    sums = classes.map(() => 0);
  for (const [label, told, count, listed] of cells) {
    counts.set(`${label}|${told}`, [count, listed]);
    sums[label] += count;
    if (label !== told) {
      mistakes[label] += count;
      mistakes[told] += count;
    }
  }
  let codes = classes.map((_, code) => code);
  if (codes.length > MOST_CLASSES) {
    codes = codes
      .slice()
      .sort((a, b) => mistakes[b] - mistakes[a] || a - b)
      .slice(0, MOST_CLASSES)
      .sort((a, b) => a - b);
  }
  let pressed = null;
  const open = (label, told, count, listed, button) => {
    pressed?.setAttribute("aria-pressed", "false");
    pressed = button;
    button.setAttribute("aria-pressed", "true");
    const some = listed.length < count ? `, ${listed.length} of them, the most doubtful first` : "";
    place.replaceChildren(
      make("h3", { tabindex: "-1" }, `Labelled ${classes[label]}, answered ${classes[told]}: ${whole(count)}${some}`),
      ...[cards(listed)].flat(),
    );
  };
  const cell = (label, told) => {
    const [count, listed] = counts.get(`${label}|${told}`) || [0, []];
    if (!count) return make("td", {}, make("div", { class: "none" }, "·"));
    const right = label === told,
      share = Math.round((100 * count) / sums[label]);
    const tint = `color-mix(in srgb, var(${right ? "--good" : "--bad"}) ${Math.max(6, Math.round(share * 0.45))}%, transparent)`;
    const button = make(
      "button",
      {
        type: "button",
        "aria-pressed": "false",
        "aria-label": `${count} labelled ${classes[label]} and answered ${classes[told]}: show them`,
        style: `background: ${tint}`,
      },
      whole(count),
      make("br"),
      make("span", { class: "said", "aria-hidden": "true" }, `${share}%`),
    );
    button.addEventListener("click", () => open(label, told, count, listed, button));
    return make("td", {}, button);
  };
  const drawn = make(
    "table",
    { class: "confusion" },
    make("caption", { class: "hidden-text" }, "Rows: the label in the data. Columns: the answer."),
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        make("th", { scope: "col" }, "label ↓  answer →"),
        codes.map((code) => make("th", { scope: "col" }, classMark(code))),
      ),
    ),
    make(
      "tbody",
      {},
      codes.map((label) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, classMark(label)),
          codes.map((told) => cell(label, told)),
        ),
      ),
    ),
  );
  return [
    codes.length < classes.length
      ? make("p", { class: "soft" }, `The ${codes.length} of ${classes.length} classes with the most mistakes.`)
      : null,
    make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Confusion table" }, drawn),
  ];
}

function marginFigure() {
  const margins = facts.margins;
  if (margins.reason) return because(margins.reason);
  const bars = [];
  const below = margins.edges.slice(0, -1).map(() => 0);
  for (const [code, counts] of margins.counts) {
    counts.forEach((count, i) => {
      if (count) bars.push({ x1: margins.edges[i], x2: margins.edges[i + 1], y1: below[i], y2: below[i] + count, code });
      below[i] += count;
    });
  }
  const place = make("div");
  const codes = classes.map((_, code) => code);
  fitted(place, (width) =>
    place.replaceChildren(
      chart({
        width,
        height: 260,
        marginLeft: 48,
        marginBottom: 40,
        ariaLabel: "Histogram of leads",
        x: { label: "lead of the right label over the best other one →" },
        y: { label: "↑ objects", grid: true },
        color: { type: "ordinal", domain: codes, range: codes.map(colour) },
        marks: [
          Plot.rectY(bars, { x1: "x1", x2: "x2", y1: "y1", y2: "y2", fill: "code", insetLeft: 0.5, insetRight: 0.5 }),
          Plot.ruleX([0], { stroke: "var(--ink)", strokeWidth: 1.5 }),
          Plot.text([{ x: 0, text: "wrong ← → right" }], {
            x: "x",
            text: "text",
            frameAnchor: "top",
            dy: -8,
            fill: "var(--soft)",
          }),
          Plot.ruleY([0], { stroke: "var(--soft)" }),
        ],
      }),
    ),
  );
  const caption = `How far the score of the right label is ahead, for ${whole(margins.n)} objects; ${whole(margins.below)} are left of 0, where another label wins${margins.ties ? `, and ${whole(margins.ties)} at 0, where labels tie` : ""}. A tall heap near 0 means that many answers could easily change.${margins.all_classes ? "" : " The ten largest classes."}`;
  const rows = () =>
    margins.counts
      .flatMap(([code, counts]) => counts.map((count, i) => [classes[code], margins.edges[i], margins.edges[i + 1], count]))
      .filter((row) => row[3]);
  return figure(place, caption, ["class", "lead from", "to", "objects"], rows);
}

function mistakesSection() {
  const confusion = facts.confusion;
  const listed = make("div", { "aria-live": "polite" });
  const parts = confusion.reason
    ? [because(confusion.reason)]
    : [
        make(
          "p",
          {},
          "Rows are labels in the data, columns are answers of models that had not seen the object. Choose a cell to see its objects.",
        ),
        confusionTable(confusion.cells, listed),
        listed,
      ];
  section("mistakes", "Mistakes", parts, make("h3", {}, "How clear the answers are"), marginFigure());
}
