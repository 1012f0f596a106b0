// Objects as what they are: texts, lines, bars, tables, pictures. Pictures are images, so that nothing in them can run.
const objects = facts.objects;
const placeOf = new Map(objects.index.map((index, place) => [index, place]));

// training objects that the model keeps are numbered from the number of objects on
const training = facts.training,
  trainingPlace = new Map((training ? training.number : []).map((number, place) => [number, place]));
const isTraining = (index) => index >= objects.n;
const labelOf = (index) => (isTraining(index) ? training.label[trainingPlace.get(index)] : objects.label[placeOf.get(index)]);

function rowName(index) {
  if (isTraining(index)) return facts.table ? "training row" : "training object";
  const place = placeOf.get(index);
  const number =
    objects.line && place !== undefined
      ? `line ${whole(objects.line[place])}`
      : `${objects.counted_from ? "row" : "object"} ${whole(index + objects.counted_from)}`;
  return objects.name && place !== undefined ? `${objects.name[place]} (${number})` : number;
}

function sparkline(drawn) {
  const width = 220,
    height = 56;
  const picture = makeSvg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": drawn.alt || "line",
  });
  const all = drawn.channels.flat().filter((value) => value !== null);
  const low = Math.min(...all),
    high = Math.max(...all);
  drawn.channels.forEach((channel, number) => {
    const step = width / Math.max(1, channel.length - 1);
    const y = (value) => height - 3 - ((value - low) / (high - low || 1)) * (height - 6);
    let path = "";
    channel.forEach((value, i) => {
      if (value !== null)
        path += `${path === "" || channel[i - 1] === null ? "M" : "L"}${(i * step).toFixed(1)} ${y(value).toFixed(1)}`;
    });
    picture.append(
      makeSvg("path", { d: path, fill: "none", stroke: number ? line(number) : "currentColor", "stroke-width": 1.5 }),
    );
  });
  return picture;
}

function barsOf(drawn) {
  const width = 220,
    height = 56,
    values = (drawn.values || []).map((value) => value ?? 0);
  const picture = makeSvg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": drawn.alt || "bars",
  });
  const low = Math.min(0, ...values),
    high = Math.max(0, ...values),
    step = width / Math.max(1, values.length);
  const y = (value) => height - ((value - low) / (high - low || 1)) * height;
  values.forEach((value, i) => {
    const top = Math.min(y(value), y(0)),
      tall = Math.max(0.5, Math.abs(y(value) - y(0)));
    picture.append(
      makeSvg("rect", {
        x: i * step,
        y: top,
        width: Math.max(0.5, step - (step > 4 ? 1 : 0)),
        height: tall,
        fill: "currentColor",
      }),
    );
  });
  return picture;
}

/** An element that shows a drawing: {"type": ..., "alt": ...}. */
function show(drawn) {
  if (!drawn) return make("span", { class: "drawing soft" }, "not shown");
  if (drawn.type === "line") return make("span", { class: "drawing" }, sparkline(drawn));
  if (drawn.type === "bars") return make("span", { class: "drawing" }, barsOf(drawn));
  if (drawn.type === "image" && /^data:image\/(png|svg\+xml);base64,/.test(drawn.uri || "")) {
    const { uri: src, width, height, ink } = drawn;
    return make(
      "span",
      { class: "drawing" },
      make("img", { src, width, height, class: ink ? "ink" : null, alt: drawn.alt || "picture of the object" }),
    );
  }
  if (drawn.type === "row") return show({ ...drawn, type: "table", rows: drawn.cells.map((text, i) => [columnNames[i], text]) });
  if (drawn.type === "table") {
    const changed = new Set(drawn.changed || []);
    const rows = drawn.rows.map(([name, ...values], i) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, String(name)),
        values.map((value) => make("td", { class: changed.has(i) ? "changed" : null }, String(value))),
      ),
    );
    return make("div", { class: "drawing" }, make("table", {}, make("tbody", {}, rows)));
  }
  const styles = new Set(["removed", "added", "changed"]);
  const tags = { removed: "del", added: "ins", changed: "mark" };
  const spans = (drawn.spans || []).map(([style, text]) =>
    styles.has(style) ? make(tags[style], { class: style }, text) : text,
  );
  return make("span", { class: "drawing" }, spans.length ? spans : drawn.alt || "");
}

function drawingOf(index) {
  if (isTraining(index)) return training.drawing ? training.drawing[trainingPlace.get(index)] : null;
  return objects.drawing && placeOf.has(index) ? objects.drawing[placeOf.get(index)] : null;
}
const altOf = (index) => {
  const drawn = drawingOf(index);
  return drawn ? drawn.alt || "" : "";
};
/** The object itself, or what it is called where it is not held; in a sentence that needs no picture, its words. */
function shown(index) {
  const drawn = drawingOf(index);
  return drawn ? show(drawn) : make("span", { class: "drawing" }, rowName(index));
}
