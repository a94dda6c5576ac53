// ---- graphs: the state graph, and those of answers
let graphs = 0;
function drawGraph(graph) {
  if (!graph || graph.reason) {
    return { node: graph && element("p", { class: "note" }, graph.reason), highlight() {} };
  }
  const own = `g${graphs++}`;
  const nodes = [];
  const edges = new Map();
  const world = drawn("g", {});
  const head = (id, kind) => drawn("marker", { id: `${own}-${id}`, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse", markerUnits: "userSpaceOnUse" },
    drawn("path", { class: `arrow ${kind}`, d: "M0 0.8L10 5L0 9.2Z" }));
  const svg = drawn("svg", { role: "group", "aria-label": "Graph", style: `--head: url(#${own}-head); --head-on: url(#${own}-head-on); --head-loop: url(#${own}-head-loop)` }, drawn("defs", {}, head("head", ""), head("head-on", "on"), head("head-loop", "loop")), world);
  const canvas = element("div", { class: "canvas", style: `height: ${Math.max(240, Math.min(600, graph.height))}px` }, svg);
  const aside = element("aside", { "aria-live": "polite" }, element("p", {}, "Choose a state to see its values."));

  for (const [from, to, curve, label, dashed] of graph.edges) {
    const path = drawn("path", { class: `edge${dashed ? " dashed" : ""}`, "data-class": `edge${dashed ? " dashed" : ""}`, d: curve }, label && drawn("title", {}, label));
    edges.set(`${from} ${to}`, path);
    world.append(path);
  }
  const known = (node) => graph.names.map((name, at) => [name, node.values[at]]).filter(([, value]) => value);
  graph.nodes.forEach((node, number) => {
    const first = node.y - (node.label.length - 1) * 8 + 4;
    const group = drawn("g", {
      class: `node${node.initial ? " initial" : ""}${node.marked ? " goal" : ""}`, tabindex: 0, role: "button", "data-state": number,
      "aria-label": `${node.initial ? "initial " : ""}state ${number}: ${known(node).map(([name, value]) => `${name} = ${value}`).join(", ") || node.label.join(", ")}`,
      onclick: () => choose(number),
      onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(number); } },
    },
      drawn("rect", { x: node.x - node.w / 2, y: node.y - node.h / 2, width: node.w, height: node.h, rx: 7 }),
      node.label.map((text, at) => drawn("text", { x: node.x, y: first + at * 16 }, text)));
    nodes.push(group);
    world.append(group);
  });

  function choose(number) {
    nodes.forEach((group, at) => group.classList.toggle("chosen", at === number));
    const node = graph.nodes[number];
    const successors = graph.edges.filter(([from]) => from === number);
    aside.replaceChildren(
      element("strong", {}, `State ${number}${node.initial ? " (initial)" : ""}`),
      element("table", {}, element("tbody", {}, known(node).map(([name, value]) => element("tr", {}, element("td", {}, name), element("td", {}, value))))),
      element("p", {}, successors.length === 0 ? "No successor: a dead end." : "Successors: ",
        successors.map(([, to, , label], at) => [at > 0 && ", ",
          element("button", { class: "link", type: "button", onclick: () => { choose(to); nodes[to].focus(); } }, to), label && ` (${label})`])));
  }

  function highlight() {
    for (const path of edges.values()) path.setAttribute("class", path.dataset.class);
    for (const group of nodes) {
      group.classList.remove("on", "loop");
      for (const text of group.querySelectorAll("text.steps")) text.remove();
    }
    const property = data.properties[shown.open];
    const path = property && property.paths[shown.path];
    world.setAttribute("class", path && path.nodes ? "marked" : "");
    caption.textContent = `${plural(graph.nodes.length, "reachable state")}, ${plural(graph.edges.length, "transition")}. `;
    if (!path || !path.nodes) return;
    caption.textContent += `The path of property ${shown.open + 1} is marked${path.loop === null ? "" : ", its loop in another colour"}.`;
    const at = new Map();
    // Positions inside an atomic step have no node: the edge leads to the next that has.
    const following = (step) => {
      for (let next = step + 1; next < path.steps; next++) if (path.nodes[next] !== null) return next;
      if (path.loop === null) return null;
      for (let next = path.loop; next <= step; next++) if (path.nodes[next] !== null) return next;
      return null;
    };
    path.nodes.forEach((number, step) => {
      if (number === null) return;
      nodes[number].classList.add("on");
      if (path.loop !== null && step >= path.loop) nodes[number].classList.add("loop");
      at.set(number, (at.get(number) || []).concat(step));
      const after = following(step);
      if (after === null) return;
      const edge = edges.get(`${number} ${path.nodes[after]}`);
      if (edge) {
        edge.setAttribute("class", `${edge.dataset.class} on${path.loop !== null && step >= path.loop ? " loop" : ""}`);
        world.insertBefore(edge, nodes[0]);
      }
    });
    for (const [number, steps] of at) {
      const node = graph.nodes[number];
      const label = steps.length > 6 ? `${steps.slice(0, 6).join(",")}…` : steps.join(",");
      nodes[number].append(drawn("text", { class: "steps", x: node.x + node.w / 2 + 3, y: node.y + node.h / 2 + 2 }, label));
    }
  }

  // Panning and zooming: the world is scaled by `zoom` and moved by `x`, `y`.
  const place = { zoom: 1, x: 0, y: 0 };
  const apply = () => world.setAttribute("transform", `translate(${place.x} ${place.y}) scale(${place.zoom})`);
  function zoomBy(factor, x, y) {
    const zoom = Math.min(4, Math.max(0.05, place.zoom * factor));
    place.x = x - (x - place.x) * (zoom / place.zoom);
    place.y = y - (y - place.y) * (zoom / place.zoom);
    place.zoom = zoom;
    apply();
  }
  function fit() {
    const { width, height } = canvas.getBoundingClientRect();
    if (!width) return;
    place.zoom = Math.min(1.25, width / graph.width, height / graph.height);
    place.x = (width - graph.width * place.zoom) / 2;
    place.y = (height - graph.height * place.zoom) / 2;
    apply();
  }
  const middle = () => { const { width, height } = canvas.getBoundingClientRect(); return [width / 2, height / 2]; };
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && !canvas.contains(document.activeElement)) return;
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoomBy(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.target.closest(".node")) return;
    canvas.classList.add("drag");
    canvas.setPointerCapture(event.pointerId);
    const start = [event.clientX - place.x, event.clientY - place.y];
    const move = (moved) => { place.x = moved.clientX - start[0]; place.y = moved.clientY - start[1]; apply(); };
    canvas.addEventListener("pointermove", move);
    const stop = () => { canvas.classList.remove("drag"); canvas.removeEventListener("pointermove", move); };
    canvas.addEventListener("pointerup", stop, { once: true });
    canvas.addEventListener("pointercancel", stop, { once: true });
  });
  const button = (title, label, act) => element("button", { class: "button", type: "button", "aria-label": label, onclick: act }, title);
  const caption = element("span", { class: "soft" });
  const node = element("div", {},
    element("div", { class: "bar" }, caption, element("span", { class: "grow" }),
      element("div", { class: "group", role: "group", "aria-label": "Zoom" },
        button("−", "Zoom out", () => zoomBy(1 / 1.3, ...middle())), button("Fit", "Fit the graph", fit), button("+", "Zoom in", () => zoomBy(1.3, ...middle())))),
    element("div", { class: "graph" }, canvas, aside));
  new ResizeObserver(fit).observe(canvas);
  caption.textContent = `${plural(graph.nodes.length, "state")}, ${plural(graph.edges.length, "transition")}. `;
  return { node, highlight };
}
const graphView = drawGraph(data.graph);
