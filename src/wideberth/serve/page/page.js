"use strict";
// Asks the server and shows its answers. Everything that is shown goes through textContent: nothing that comes in becomes markup.

const MOST_LINES = 20;
const WITNESSES = 3;
const at = (id) => document.getElementById(id);
let model = null;

function make(name, text, className) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

function number(value) {
  if (typeof value !== "number") return value === "inf" ? "∞" : String(value);
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

function plural(unit) {
  return unit === "edit" || unit === model.metric.unit ? `${unit}s` : unit; // others are names of metrics
}

function measured(distance) {
  const word = distance.value === 1 ? distance.unit : plural(distance.unit);
  return `${number(distance.value)} ${word}`;
}

async function fetched(path, options = {}) {
  const token = at("token").value.trim();
  const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(path, { ...options, headers, credentials: "omit" });
  const told = await response.json();
  if (response.status === 401) at("secret").hidden = false;
  if (!response.ok) throw new Error([told.detail, told.advice].filter(Boolean).join(" "));
  return told;
}

function show(problem) {
  at("problem").hidden = !problem;
  at("problem").textContent = problem || "";
}

async function introduce() {
  try {
    model = await fetched("/model");
  } catch (error) {
    at("summary").textContent = "The model does not answer yet.";
    show(error.message);
    return;
  }
  document.title = `wideberth: ${model.model}`;
  at("summary").textContent = model.summary;
  const shown = model.classes.slice(0, 8).join(", ") + (model.classes.length > 8 ? ", ..." : "");
  const facts = [`Classes: ${shown}`];
  if (model.radius) facts.push(`Radii in ${plural(model.radius.unit)}`);
  at("facts").replaceChildren(...facts.map((fact) => make("li", fact)));
  at("how").textContent = areTexts() ? "Type each text as it is." : `Type each object as in JSON, such as ${written(model.objects.example)}`;
  show("");
}

function areTexts() {
  return ["strings", "molecules"].includes(model.objects.kind);
}

function written(object) {
  return typeof object === "string" ? object : JSON.stringify(object);
}

function typed() {
  const lines = at("objects").value.split("\n").filter((line) => line.trim());
  if (!lines.length) throw new Error("There is no object. Type one, and ask again.");
  if (lines.length > MOST_LINES) throw new Error(`These are ${lines.length} lines. Type ${MOST_LINES} at most; programs may send more.`);
  if (areTexts()) return lines;
  return lines.map((line, place) => {
    try {
      return JSON.parse(line);
    } catch {
      throw new Error(`Line ${place + 1} is not JSON. Write it like ${written(model.objects.example)}.`);
    }
  });
}

function chips(answer) {
  const list = make("ul", undefined, "chips");
  const add = (text, className) => list.append(make("li", text, className));
  if (answer.probability !== undefined) add(`probability ${answer.probability}`);
  add(`lead ${number(answer.lead)}`);
  if (answer.radius) {
    const { safe, unit } = answer.radius;
    if (safe === undefined) add(`certified within ${measured(answer.radius)}`, "safe");
    else if (safe === 0) add(`one ${unit} might change it`);
    else add(`proved after any ${number(safe)} ${unit}${safe === 1 ? "" : "s"}`, "safe");
  }
  if (answer.prediction_set) {
    const sure = number(100 * (1 - model.prediction_set.delta));
    add(`${sure} % set: ${answer.prediction_set.length ? answer.prediction_set.join(" or ") : "no label"}`);
  }
  if (answer.novelty) {
    const { novel, p_value } = answer.novelty;
    add(`${novel ? "unlike" : "like"} the training objects (p ${p_value < 0.01 ? "below 0.01" : p_value.toFixed(2)})`, novel ? "novel" : "");
  }
  return list;
}

function side(title, neighbors) {
  const part = make("div");
  part.append(make("h3", title));
  const list = make("ul");
  for (const each of neighbors) {
    const line = make("li");
    line.append(make("span", each.object, "object"), make("span", `${each.label}, ${number(each.distance)} away`, "far"));
    list.append(line);
  }
  part.append(neighbors.length ? list : make("p", "none", "hint"));
  return part;
}

function card(object, answer) {
  const item = make("li");
  item.append(make("p", written(object), "asked"), make("p", String(answer.label), "label"), chips(answer));
  if (answer.change) {
    const change = make("p", undefined, "change");
    change.append(make("strong", "What would change it: "));
    change.append(make("span", written(answer.change.object), "object"));
    change.append(` is ${answer.change.label}, ${measured(answer.change.distance)} away.`);
    item.append(change);
  } else if (answer.change === null && model.change) {
    const change = make("p", undefined, "change");
    change.append(make("strong", "What would change it: "), "no change was found.");
    item.append(change);
  }
  if (answer.witnesses) {
    const { supporters, opponents } = answer.witnesses;
    const sides = make("div", undefined, "sides");
    if (supporters.length || opponents.length)
      sides.append(side("Nearest with this label", supporters), side("Nearest others", opponents));
    else sides.append(make("p", "The model holds no training objects to show.", "hint"));
    item.append(sides);
  }
  return item;
}

async function ask(event) {
  event.preventDefault();
  if (at("send").disabled) return;
  at("send").disabled = true;
  at("state").textContent = "The model is asked.";
  try {
    if (model === null) await introduce();
    if (model === null) return;
    const objects = typed();
    const query = new URLSearchParams();
    if (model.change) query.set("change", "true");
    if (model.witnesses) query.set("witnesses", String(WITNESSES));
    const path = query.size ? `/predict?${query}` : "/predict";
    const body = JSON.stringify({ objects });
    const told = await fetched(path, { method: "POST", body, headers: { "Content-Type": "application/json" } });
    at("answers").replaceChildren(...told.answers.map((answer, place) => card(objects[place], answer)));
    at("state").textContent = told.answers.length === 1 ? "1 answer." : `${told.answers.length} answers.`;
    show("");
  } catch (error) {
    at("answers").replaceChildren();
    at("state").textContent = "";
    show(error instanceof TypeError ? "The server cannot be reached. Is it still running?" : error.message);
  } finally {
    at("send").disabled = false;
  }
}

at("ask").addEventListener("submit", ask);
at("objects").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) ask(event);
});
at("token").addEventListener("change", introduce);
introduce();
