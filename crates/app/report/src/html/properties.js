// What every part needs, and the table of properties with the details of the one that is open.

const data = JSON.parse(document.getElementById("data").textContent);
const svgSpace = document.getElementById("svg").namespaceURI;
const STEPS_AT_ONCE = 100;
const MOVES_AT_ONCE = 500;
const SIGNALS_AT_ONCE = 200;

// Elements are only ever built from text nodes and attributes: names from the model are never parsed as markup.
function element(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}
function drawn(tag, attributes, ...children) {
  return fill(document.createElementNS(svgSpace, tag), attributes, children);
}
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}
const plural = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
const live = element("div", { "aria-live": "polite", class: "visually-hidden" });

// ---- the theme
const media = window.matchMedia("(prefers-color-scheme: dark)");
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  themeButton.textContent = theme === "dark" ? "Light" : "Dark";
  themeButton.setAttribute("aria-label", theme === "dark" ? "Use the light theme" : "Use the dark theme");
}
const themeButton = element("button", {
  class: "button theme", type: "button", id: "theme",
  onclick: () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
});
setTheme(media.matches ? "dark" : "light");
media.addEventListener("change", () => setTheme(media.matches ? "dark" : "light"));

// ---- what is shown
const shown = { status: "all", search: "", open: null, path: 0 };
const firstFailing = data.properties.findIndex((property) => property.paths.length > 0);
const firstDoubtful = data.properties.findIndex((property) => (property.warnings || []).length > 0);
if (firstFailing >= 0) shown.open = firstFailing;
else if (firstDoubtful >= 0) shown.open = firstDoubtful;

const matches = (property) =>
  (shown.status === "all" || property.verdict === shown.status) &&
  `${property.text} ${property.name || ""}`.toLowerCase().includes(shown.search.toLowerCase());

// ---- the properties
const body = element("tbody");
const filterBar = element("div", { class: "group", role: "group", "aria-label": "Status" });
function drawFilters() {
  const count = (status) => data.properties.filter((property) => status === "all" || property.verdict === status).length;
  filterBar.replaceChildren(...["all", "fails", "holds", "unknown"].map((status) => element("button", {
    class: "button", type: "button", "data-status": status, "aria-pressed": String(shown.status === status),
    onclick: () => { shown.status = status; drawFilters(); drawProperties(); filterBar.querySelector(`[data-status="${status}"]`).focus(); },
  }, status[0].toUpperCase() + status.slice(1), element("span", { class: "count" }, count(status)))));
}

function mark(check) {
  if (!check) return element("span", { class: "mark" }, "—");
  const words = { checked: "✓ checked", partly: "◐ partly checked", rejected: "✗ rejected" };
  return element("span", { class: `mark ${check.status}`, title: (check.details || []).join("\n") }, words[check.status]);
}

function drawProperties() {
  body.replaceChildren();
  let visible = 0;
  data.properties.forEach((property, number) => {
    if (!matches(property)) return;
    visible += 1;
    const open = shown.open === number;
    const toggle = (event) => {
      if (event.target.closest("a, .link")) return;
      shown.open = open ? null : number;
      shown.path = 0;
      drawProperties();
      refresh();
      const button = body.querySelector(`[data-property="${number}"] .toggle`);
      if (button) button.focus();
    };
    body.append(element("tr", { class: `row${open ? " open" : ""}`, "data-property": number, onclick: toggle },
      element("td", {},
        element("span", { style: "white-space: nowrap" },
          element("button", { class: "toggle", type: "button", "aria-expanded": String(open), "aria-label": `Details of property ${number + 1}` }),
          element("span", { class: `pill ${property.verdict}` }, property.verdict))),
      element("td", { class: "formula" },
        (property.name || property.place) && element("span", { class: "name" }, property.name, property.name && property.place && ", ", property.place && placeLink(property.place)),
        property.text, property.value !== null && ` = ${property.value}`,
        (property.warnings || []).map((warning) => element("span", { class: "name warned" }, `⚠ ${warning}`))),
      element("td", { class: "soft optional" }, property.logic),
      element("td", { class: "optional" }, mark(property.check)),
      element("td", { class: "soft optional" }, property.engine),
      element("td", { class: "number" }, property.seconds)));
    if (open) body.append(element("tr", {}, element("td", { class: "detail", colspan: 6 }, details(property))));
  });
  if (!visible) body.append(element("tr", {}, element("td", { class: "none", colspan: 6 }, "No property matches.")));
  live.textContent = `${plural(visible, "property").replace("propertys", "properties")} shown`;
}

// ---- how abstraction found its answer: what each round could see, and what became of its counterexample
function roundTable(rounds) {
  const names = (round) => element("td", { class: "formula" },
    round.added.map((name) => element("span", { class: "new" }, `+ ${name}`)),
    element("span", { class: "soft" }, round.kept.join(", ")));
  const rows = rounds.map((round, number) => element("tr", {},
    element("td", { class: "number" }, String(number + 1)), names(round), element("td", {}, round.size),
    element("td", {}, round.found), element("td", {}, round.outcome), element("td", { class: "number" }, round.seconds)));
  const heads = ["", "visible", "size", "abstract model", "then", "time"].map((head) => element("th", {}, head));
  return element("table", { class: "rounds" }, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows));
}

// ---- one property
function details(property) {
  const facts = element("dl", { class: "facts" });
  const fact = (name, value) => value && facts.append(element("dt", {}, name), element("dd", {}, value));
  fact("Guarantee", property.guarantee);
  fact("Evidence", property.evidence);
  fact("Engine", property.because && `${property.engine}: ${property.because}`);
  fact("Violated", property.violated.length > 0 && element("code", {}, property.violated.join("  and  ")));
  fact("Counters", property.statistics.map(([name, value]) => `${name} ${value.toLocaleString("en")}`).join(", "));
  const box = element("div", {});
  if (property.failure) box.append(element("p", { class: "note bad" }, "Internal error: ", property.failure));
  if (property.reason) box.append(element("p", { class: "note" }, property.reason));
  for (const warning of property.warnings) box.append(element("p", { class: "note" }, "Warning: ", warning));
  if (property.check && property.check.status !== "checked") {
    const words = property.check.status === "rejected" ? "Evidence rejected: " : "Not rechecked: ";
    for (const line of property.check.details) {
      box.append(element("p", { class: `note${property.check.status === "rejected" ? " bad" : ""}` }, words, line));
    }
  }
  box.append(facts);
  if (property.rounds.length > 0) box.append(element("h3", {}, "Rounds of abstraction"), roundTable(property.rounds));
  for (const exhibit of property.exhibits) {
    // A tree that is nothing but a path is shown by that path.
    if (exhibit.kind === "tree" && (exhibit.tree.because !== "path" || exhibit.tree.children.length > 0)) {
      box.append(element("h3", {}, exhibit.title || "Why"), element("ul", { class: "tree" }, claim(exhibit.tree, "")));
    }
  }
  if (property.paths.length > 0) box.append(pathView(property));
  box.append(...beside(property));
  return box;
}

// ---- what is shown beside paths and trees
const beside = (property) => property.exhibits.flatMap((exhibit) => {
  const node = exhibitView(exhibit);
  return node ? [element("h3", {}, exhibit.title || titles[exhibit.kind]), node] : [];
});
const titles = { table: "Table", graph: "Graph", chart: "Chart", schedule: "Schedule", drawing: "Drawing", sequence: "Message sequence chart", source: "Source", notes: "Notes" };
function exhibitView(exhibit) {
  if (exhibit.kind === "table") {
    const rows = exhibit.rows.map((row) => element("tr", {}, row.map((cell) => element("td", {}, cell))));
    return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table" }, element("table", { class: "plain" },
      element("thead", {}, element("tr", {}, exhibit.heads.map((head) => element("th", { scope: "col" }, head)))), element("tbody", {}, rows)));
  }
  if (exhibit.kind === "graph") return drawGraph(exhibit.graph).node;
  if (["chart", "schedule", "drawing", "sequence"].includes(exhibit.kind)) {
    const picture = document.getElementById(`picture-${exhibit.picture}`);
    return picture && element("div", { class: "scroll picture", tabindex: 0, role: "region", "aria-label": titles[exhibit.kind] }, picture.content.cloneNode(true));
  }
  if (exhibit.kind === "source") {
    const { source, name, marks } = exhibit.source;
    // Where the text is in this page, the marks stand at its lines.
    if (source !== null && marks.length > 0) return placeLink({ text: plural(marks.length, "marked line"), source, line: marks[0][0] });
    return element("ul", { class: "marks" }, marks.map(([line, text]) => element("li", {}, `${name}:${line} ${text}`)));
  }
  if (exhibit.kind === "notes") return element("pre", { class: "notes" }, exhibit.lines.join("\n"));
  return null;
}

// A place in a source: a link where its text is in this page.
function placeLink(place) {
  if (!place) return "";
  if (place.source === null) return place.text;
  return element("button", {
    class: "link", type: "button", "data-line": `${place.source}-${place.line}`,
    onclick: (event) => { event.stopPropagation(); sourceView.open(place.source, place.line); },
  }, place.text);
}

function claim(node, where) {
  const truth = node.truth !== null && element("span", { class: `truth-mark ${node.truth}` }, String(node.truth));
  const because = {
    evaluation: "",
    exhaustion: "all paths were searched",
    operands: node.children.length > 0 && "because",
    path: "",
    rule: `by ${node.rule}`,
  }[node.because];
  const item = element("li", {},
    where && element("span", { class: "where" }, where), element("code", {}, node.text), truth,
    element("span", { class: "where" }, because),
    node.because === "path" && element("button", {
      class: "link", type: "button", "data-path": node.path,
      onclick: (event) => { event.stopPropagation(); choosePath(node.path); },
    }, `path ${node.path + 1}`));
  const below = node.children.map((child) => claim(child.claim, child.position === null ? "" : `at step ${child.position}:`));
  if (below.length > 0) item.append(element("ul", {}, below));
  return item;
}
