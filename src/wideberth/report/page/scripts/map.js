// The map of the space: near objects are near each other, as far as two dimensions allow.
const MOST_SHAPES = 5000; // above it a canvas draws the points
const MOST_RINGS = 0.4; // a ring around most points would tell nothing
const hiddenClasses = new Set();
const redraws = [];

function legend() {
  const boxes = classes.map((name, code) => {
    const box = make("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () => {
      if (box.checked) hiddenClasses.delete(code);
      else hiddenClasses.add(code);
      redraws.forEach((redraw) => redraw());
    });
    return make(
      "label",
      {},
      box,
      key(code),
      name,
      make("span", { class: "soft" }, ` ${whole(facts.learned.classes[code].size)}`),
    );
  });
  return make("fieldset", { class: "legend" }, make("legend", { class: "hidden-text" }, "Classes on the map"), boxes);
}

function drawMap(place, width) {
  const map = facts.map,
    height = Math.round(Math.min(width * 0.8, 560)),
    margin = 16;
  const highest = { x: map.x.reduce((a, b) => Math.max(a, b), 0), y: map.y.reduce((a, b) => Math.max(a, b), 0) };
  const scale = Math.min((width - 2 * margin) / (highest.x || 1), (height - 2 * margin) / (highest.y || 1));
  const left = (width - scale * highest.x) / 2,
    top = (height - scale * highest.y) / 2;
  const px = map.x.map((value) => left + scale * value),
    py = map.y.map((value) => top + scale * value);
  const seen = map.index.map((_, i) => i).filter((i) => !hiddenClasses.has(map.label[i]));
  const many = map.index.length > MOST_SHAPES;
  const size = many ? 1.6 : map.index.length > 1200 ? 2.6 : 3.6;
  const ringed = map.state.filter((state) => state === 1).length < MOST_RINGS * map.index.length;
  place.replaceChildren();
  if (many) place.append(canvasLayer(width, height, seen, px, py, map, size));
  const wrong = (i) => map.told[i] >= 0 && map.told[i] !== map.label[i];
  const marks = many
    ? []
    : [
        Plot.dot(
          seen.filter((i) => map.state[i] === 2),
          { x: (i) => px[i], y: (i) => py[i], r: size, symbol: (i) => map.label[i], stroke: (i) => map.label[i], opacity: 0.6 },
        ),
        Plot.dot(
          seen.filter((i) => map.state[i] !== 2),
          {
            x: (i) => px[i],
            y: (i) => py[i],
            r: size,
            symbol: (i) => map.label[i],
            fill: (i) => map.label[i],
            fillOpacity: 0.78,
          },
        ),
        Plot.dot(ringed ? seen.filter((i) => map.state[i] === 1) : [], {
          x: (i) => px[i],
          y: (i) => py[i],
          r: size + 2.2,
          stroke: "currentColor",
          strokeOpacity: 0.45,
          strokeWidth: 0.8,
        }),
        Plot.dot(seen.filter(wrong), { x: (i) => px[i], y: (i) => py[i], r: 1.3, fill: "var(--paper)" }),
      ];
  const codes = classes.map((_, code) => code);
  const svg = chart({
    width,
    height,
    margin: 0,
    axis: null,
    x: { domain: [0, width], range: [0, width] },
    y: { domain: [0, height], range: [0, height] },
    r: { type: "identity" },
    color: { type: "ordinal", domain: codes, range: codes.map(colour) },
    symbol: { domain: codes, range: codes.map(shape) },
    ariaLabel: `Map of ${whole(map.index.length)} objects of ${classes.length} classes`,
    marks,
  });
  svg.classList.add("over");
  const over = makeSvg("g", { "pointer-events": "none" });
  svg.append(over);
  place.append(svg);
  return { svg, over, seen, px, py, width, height };
}

function canvasLayer(width, height, seen, px, py, map, size) {
  const ratio = window.devicePixelRatio || 1;
  const canvas = make("canvas", { width: width * ratio, height: height * ratio, "aria-hidden": "true" });
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement);
  const colours = classes.map((_, code) => style.getPropertyValue(`--c${rank[code] % COLOURS}`).trim());
  pen.globalAlpha = 0.55;
  for (const i of seen) {
    pen.fillStyle = colours[map.label[i]];
    pen.fillRect(px[i] - size, py[i] - size, 2 * size, 2 * size);
  }
  return canvas;
}

function bubbleAt(place, drawn, i) {
  const index = facts.map.index[i];
  const held = placeOf.get(index),
    told = facts.map.told[i];
  const bubble = make(
    "div",
    { class: "bubble small", role: "status" },
    objects.drawing && held !== undefined ? make("div", {}, show(drawingOf(index))) : null,
    make("div", { class: "soft" }, rowName(index)),
    make(
      "div",
      {},
      classMark(facts.map.label[i]),
      told >= 0 && told !== facts.map.label[i] ? make("span", { class: "wrong" }, ` ✗ answered ${classes[told]}`) : null,
    ),
  );
  place.append(bubble);
  const x = drawn.px[i] + 14,
    y = drawn.py[i] + 14;
  bubble.style.left = `${Math.max(4, Math.min(x, drawn.width - bubble.offsetWidth - 4))}px`;
  bubble.style.top = `${y + bubble.offsetHeight > drawn.height ? Math.max(0, drawn.py[i] - bubble.offsetHeight - 12) : y}px`;
  return bubble;
}

function mapSection() {
  const map = facts.map;
  if (map.reason) {
    section("map", "The space", because(map.reason), panel);
    return;
  }
  const place = make("div", {
    class: "map",
    tabindex: "0",
    role: "group",
    "aria-label": `Map of ${plural(map.index.length, "object", "objects")}. Arrow keys move from object to object, Enter chooses one.`,
  });
  const kept = map.state.filter((state) => state === 1).length,
    removed = map.state.filter((state) => state === 2).length;
  const marks = [
    "A pale centre marks a wrong answer.",
    kept && kept < MOST_RINGS * map.index.length
      ? `A ring marks the ${plural(kept, "object", "objects")} that the model keeps to answer by.`
      : "",
    removed ? `${plural(removed, "hollow shape is an object", "hollow shapes are objects")} that it removed.` : "",
  ];
  const share = map.index.length < map.n ? `${whole(map.index.length)} of ${whole(map.n)} objects. ` : "";
  const how = map.faithful > 0.8 ? "well" : map.faithful > 0.5 ? "roughly" : "poorly";
  const caption = `${share}Near objects are drawn near each other, as far as two dimensions allow: distances on this map follow the true ones ${how} (correlation ${short(map.faithful)}). ${marks.filter(Boolean).join(" ")}`;
  const rows = () =>
    map.index
      .slice(0, 500)
      .map((index, i) => [rowName(index), altOf(index), classes[map.label[i]], map.told[i] < 0 ? "–" : classes[map.told[i]]]);
  section(
    "map",
    "The space",
    make("p", {}, "Every shape is an object; its colour and shape tell its label in the data."),
    legend(),
    make("div", { class: isTable ? "beside rows-beside" : "beside" }, figure(place, caption, ["row", "object", "label", "answer"], rows), panel),
  );
  let drawn = null,
    bubble = null,
    pointed = null;
  const clear = () => {
    bubble?.remove();
    bubble = null;
  };
  const mark = () => {
    drawn.over.replaceChildren();
    const at = map.index.indexOf(chosen);
    if (at < 0) return;
    const near = placeOf.has(chosen) ? (objects.near[placeOf.get(chosen)] || []).flat() : [];
    for (const [index] of near) {
      const other = map.index.indexOf(index);
      if (other >= 0)
        drawn.over.append(
          makeSvg("line", {
            x1: drawn.px[at],
            y1: drawn.py[at],
            x2: drawn.px[other],
            y2: drawn.py[other],
            stroke: "var(--ink)",
            "stroke-opacity": 0.5,
          }),
        );
    }
    drawn.over.append(
      makeSvg("circle", { cx: drawn.px[at], cy: drawn.py[at], r: 9, fill: "none", stroke: "var(--ink)", "stroke-width": 2 }),
    );
  };
  const point = (i) => {
    clear();
    pointed = i;
    if (i !== null) bubble = bubbleAt(place, drawn, i);
  };
  const nearest = (x, y, allowed = () => true) => {
    let best = null,
      least = Infinity;
    for (const i of drawn.seen) {
      const away = (drawn.px[i] - x) ** 2 + (drawn.py[i] - y) ** 2;
      if (away < least && allowed(i)) {
        least = away;
        best = i;
      }
    }
    return [best, least];
  };
  const redraw = (width) => {
    drawn = drawMap(place, width || Math.floor(place.clientWidth));
    mark();
    drawn.svg.addEventListener("pointermove", (event) => {
      const box = drawn.svg.getBoundingClientRect();
      const [i, away] = nearest(event.clientX - box.left, event.clientY - box.top);
      if (i !== pointed || !bubble) point(i !== null && away < 900 ? i : null);
    });
    drawn.svg.addEventListener("pointerleave", () => point(null));
    drawn.svg.addEventListener("click", (event) => {
      const box = drawn.svg.getBoundingClientRect();
      const [i, away] = nearest(event.clientX - box.left, event.clientY - box.top);
      if (i !== null && away < 1600) choose(map.index[i]);
    });
  };
  const ways = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  place.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && pointed !== null) choose(map.index[pointed]);
    if (event.key === "Escape") point(null);
    const way = ways[event.key];
    if (!way || !drawn.seen.length) return;
    event.preventDefault();
    if (pointed === null) return point(nearest(drawn.width / 2, drawn.height / 2)[0]);
    const x = drawn.px[pointed],
      y = drawn.py[pointed];
    const ahead = (i) => {
      const along = (drawn.px[i] - x) * way[0] + (drawn.py[i] - y) * way[1];
      const aside = Math.abs((drawn.px[i] - x) * way[1]) + Math.abs((drawn.py[i] - y) * way[0]);
      return along > 0.5 && aside <= along;
    };
    const [next] = nearest(x, y, (i) => i !== pointed && ahead(i));
    if (next !== null) point(next);
  });
  place.addEventListener("blur", () => point(null));
  redraws.push(() => redraw());
  watchers.push(() => {
    if (drawn) mark();
  });
  fitted(place, redraw);
}
