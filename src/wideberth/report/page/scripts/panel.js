// The object that the reader has chosen: what it is, what it was told, and the nearest objects that speak for and against that.
const panel = make("aside", { class: "panel", "aria-live": "polite", "aria-label": "The chosen object" });
const watchers = [];
let chosen = null;

function choose(index, { scroll = false } = {}) {
  chosen = index;
  fillPanel(index);
  watchers.forEach((watcher) => watcher(index));
  if (scroll) {
    const target = document.getElementById("map");
    (panel.isConnected ? panel : target)?.scrollIntoView({ block: "nearest" });
  }
}

/** A button with the object on it, which chooses it. */
const opener = (index, content) =>
  isTraining(index)
    ? make("span", {}, content || shown(index))
    : make(
        "button",
        { type: "button", class: "open", title: rowName(index), onclick: () => choose(index, { scroll: true }) },
        content || shown(index),
      );

function verdict(place) {
  const label = objects.label[place],
    told = objects.told[place];
  if (told < 0) return make("p", {}, "Label in the data: ", classMark(label));
  const right = label === told;
  return make(
    "p",
    {},
    "Label in the data: ",
    classMark(label),
    make("br"),
    "Answer: ",
    classMark(told),
    " ",
    make("span", { class: right ? "right" : "wrong" }, right ? "✓ as in the data" : "✗ not as in the data"),
  );
}

function details(place) {
  const lines = [];
  const quality = objects.quality[place],
    radius = objects.radius[place],
    state = objects.state[place];
  if (objects.probability) lines.push(`Probability of the answer: ${objects.probability[place]}.`);
  if (quality !== null) lines.push(`Quality of the label in the data: ${percent(quality)}.`);
  if (radius !== null && radius !== undefined) {
    const { unit, step } = facts.certified;
    if (step === 1)
      lines.push(
        radius > 0
          ? `Proved to stay under any ${plural(radius, unit || "step", `${unit || "step"}s`)}.`
          : `One ${unit || "step"} might change the answer.`,
      );
    else lines.push(`Proved to stay within a distance of ${down(radius)}${objects.moves ? ", as the row says in its own units" : ""}.`);
  }
  const made = {
    1: "The model keeps it to answer by.",
    2: "The model removed it: too close to another class.",
    3: "Set aside to measure errors.",
  };
  if (made[state]) lines.push(made[state]);
  return lines.map((line) => make("div", {}, line));
}

function neighbours(index, side, title) {
  if (!side.length) return [make("h4", {}, title), make("p", { class: "soft" }, "None.")];
  if (isTable) return [make("h4", {}, title), besideOthers(title, index, side)];
  const items = side.map(([index, distance]) =>
    make("li", {}, key(labelOf(index)), opener(index), make("span", { class: "far" }, far(distance))),
  );
  return [make("h4", {}, title), make("ul", { class: "near small" }, items)];
}

function fillPanel(index) {
  const place = placeOf.get(index);
  panel.replaceChildren();
  if (place === undefined) {
    panel.append(
      make("h3", {}, rowName(index)),
      make("p", { class: "soft" }, "This report holds only some of the objects; this one is on the map alone."),
    );
    return;
  }
  const near = objects.near[place];
  const who = `${training ? "training " : ""}${facts.table ? "rows" : "objects"}`;
  const said = classes[objects.told[place] < 0 ? objects.label[place] : objects.told[place]];
  panel.append(
    make("h3", {}, rowName(index)),
    isTable
      ? rowWithMoves(index)
      : objects.drawing
        ? make("p", {}, show(drawingOf(index)))
        : make("p", { class: "soft" }, "Objects are left out of this report."),
    verdict(place),
    ...details(place),
    ...(near
      ? [
          ...neighbours(index, near[0], `Why ${said}? The nearest ${who} labelled so`),
          ...neighbours(index, near[1], "The nearest with other labels"),
        ]
      : [make("p", { class: "soft" }, "Its neighbours were not searched for.")]),
  );
}

function emptyPanel() {
  panel.replaceChildren(
    make("h3", {}, "Choose an object"),
    make(
      "p",
      { class: "soft" },
      "Point at the map to see an object, click it to see its nearest neighbours and why it got its label. With the keyboard: go to the map, move with the arrow keys, choose with Enter.",
    ),
  );
}
emptyPanel();
