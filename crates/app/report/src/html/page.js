// ---- the sources, with the lines of the steps that are shown
const sourceView = (() => {
  if (data.sources.length === 0) return { node: null, mark() {}, open() {} };
  const notes = [];
  const files = data.sources.map((source, file) => {
    notes.push(new Map());
    const lines = source.text.split("\n").map((text, at) => {
      const note = element("span", { class: "mark" });
      notes[file].set(at + 1, note);
      return element("div", { class: "line", id: `source-${file}-${at + 1}`, tabindex: -1 }, element("span", { class: "at" }, at + 1), element("code", {}, text), note);
    });
    return element("div", { class: "source scroll", tabindex: 0, role: "region", "aria-label": source.name }, lines);
  });
  const boxes = files.map((file, number) => element("details", {}, element("summary", {}, data.sources[number].name), file));
  function mark() {
    for (const file of notes) for (const note of file.values()) note.textContent = "";
    const property = data.properties[shown.open];
    if (!property) return;
    const said = new Map();
    const say = (source, line, text) => {
      const note = notes[source] && notes[source].get(line);
      if (note) said.set(note, (said.get(note) || []).concat(text));
    };
    const marked = property.exhibits.filter((exhibit) => exhibit.kind === "source").map((exhibit) => exhibit.source);
    if (data.coverage) {
      const { places, unreached, proofs } = data.coverage;
      const told = (list, parts, text) => list.forEach((place, number) => {
        if (place && place.source !== null) say(place.source, place.line, text(parts[number]));
      });
      told(places, unreached, (part) => (part.kind === "value" ? `never: ${part.text}` : "never reached"));
      if (proofs) told(proofs.places, proofs.unneeded, (part) => `${part.text} is needed by no proof`);
    }
    for (const { source, marks } of marked) for (const [line, text] of marks) say(source, line, text);
    // What the family marks itself needs no marks of ours.
    const path = property.paths[shown.path];
    const steps = new Map();
    (path ? path.moves : []).forEach((step, number) => {
      for (const who of [step, step.partner]) {
        if (!who || !who.place || marked.some(({ source }) => source === who.place.source)) continue;
        const place = `${who.place.source} ${who.place.line}`;
        steps.set(place, (steps.get(place) || new Set()).add(number + 1));
      }
    });
    for (const [place, numbers] of steps) {
      const [source, line] = place.split(" ").map(Number);
      const first = [...numbers].slice(0, 8).join(", ");
      say(source, line, `${numbers.size === 1 ? "step" : "steps"} ${first}${numbers.size > 8 ? " …" : ""}`);
    }
    for (const [note, texts] of said) note.textContent = texts.join("; ");
  }
  function open(file, line) {
    boxes[file].open = true;
    for (const old of document.querySelectorAll(".line.chosen")) old.classList.remove("chosen");
    const row = document.getElementById(`source-${file}-${line}`);
    if (!row) return;
    row.classList.add("chosen");
    row.scrollIntoView({ block: "center" });
    row.focus({ preventScroll: true });
  }
  return { node: element("div", {}, boxes), mark, open };
})();

function refresh() {
  graphView.highlight();
  sourceView.mark();
}

// ---- the page
const facts = [data.language, ...data.figures.map(([name, value]) => `${value.toLocaleString("en")} ${value === 1 ? name.replace(/s$/, "") : name}`), data.seconds, data.memory,
  ...Object.entries(data.settings).map(([name, value]) => `${name.replaceAll("_", " ")}: ${typeof value === "string" ? value : JSON.stringify(value)}`)];
const top = element("header", { class: "top" }, element("h1", {}, data.model),
  element("div", { class: "facts" }, facts.filter(Boolean).map((fact) => element("span", {}, fact))), themeButton);
const footer = element("footer", {}, `Entail ${data.version}`);
const section = (id, title, node) => node && element("section", { class: "block", id }, element("h2", {}, title), node);
const app = document.getElementById("app");
if (data.alone) {
  shown.open = 0;
  const only = data.properties[0];
  app.replaceWith(element("main", {}, top, only.paths.length > 0 && pathView(only), beside(only), section("sources", "Source", sourceView.node), footer, live));
  refresh();
  return;
}
// ---- what no run reaches, and no proof needed
function partTable(id, parts, places) {
  const rows = parts.map((part, number) => element("tr", {}, element("td", {}, placeLink(places[number])), element("td", {}, part.kind),
    element("td", {}, part.of), element("td", { class: "statement" }, part.text)));
  return rows.length > 0 && element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Parts" },
    element("table", { class: "plain", id }, element("tbody", {}, rows)));
}
function coverageView() {
  const { reason, states, parts, unreached, places, proofs } = data.coverage;
  const reached = reason ? [element("p", { class: "note" }, `What no run reaches is not known: ${reason}`)]
    : [element("p", {}, `${parts - unreached.length} of ${parts} parts are reached in ${plural(states, "state")}.`), partTable("unreached", unreached, places)];
  const needed = proofs ? [element("p", {}, `${proofs.parts - proofs.unneeded.length} of ${proofs.parts} registers and inputs are needed by ${plural(proofs.count, "proof")}.`),
    partTable("unneeded", proofs.unneeded, proofs.places)] : [];
  return element("div", {}, reached, needed);
}
drawFilters();
app.replaceWith(element("main", {}, top,
  element("div", { class: "bar" }, filterBar, element("span", { class: "grow" }),
    element("label", {}, element("span", { class: "visually-hidden" }, "Search properties"),
      element("input", { type: "search", id: "property-search", placeholder: "Search properties", oninput: (event) => { shown.search = event.target.value; drawProperties(); } }))),
  element("div", { class: "panel" }, element("table", { class: "properties" },
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Verdict"), element("th", { scope: "col" }, "Property"),
      element("th", { scope: "col", class: "optional" }, "Logic"), element("th", { scope: "col", class: "optional" }, "Evidence"),
      element("th", { scope: "col", class: "optional" }, "Engine"), element("th", { scope: "col", style: "text-align: right" }, "Time"))), body)),
  section("coverage", "Coverage", data.coverage && coverageView()),
  section("state-graph", "State graph", graphView.node), section("sources", "Source", sourceView.node), footer, live));
drawProperties();
refresh();
