"use strict";
(() => {
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
  if (firstFailing >= 0) shown.open = firstFailing;

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
          property.text, property.value !== null && ` = ${property.value}`),
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
    for (const exhibit of property.exhibits) {
      const node = exhibitView(exhibit);
      if (node) box.append(element("h3", {}, exhibit.title || titles[exhibit.kind]), node);
    }
    return box;
  }

  // ---- what is shown beside paths and trees
  const titles = { table: "Table", graph: "Graph", chart: "Chart", sequence: "Message sequence chart", source: "Source", notes: "Notes" };
  function exhibitView(exhibit) {
    if (exhibit.kind === "table") {
      const rows = exhibit.rows.map((row) => element("tr", {}, row.map((cell) => element("td", {}, cell))));
      return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table" }, element("table", { class: "plain" },
        element("thead", {}, element("tr", {}, exhibit.heads.map((head) => element("th", { scope: "col" }, head)))), element("tbody", {}, rows)));
    }
    if (exhibit.kind === "graph") return drawGraph(exhibit.graph).node;
    if (exhibit.kind === "chart" || exhibit.kind === "sequence") {
      const picture = document.getElementById(`picture-${exhibit.picture}`);
      return picture && element("div", { class: "scroll picture", tabindex: 0, role: "region", "aria-label": titles[exhibit.kind] }, picture.content.cloneNode(true));
    }
    if (exhibit.kind === "source") {
      const { source, name, marks } = exhibit.source;
      return element("ul", { class: "marks" }, marks.map(([line, text]) => element("li", {},
        placeLink({ text: `${name}:${line}`, source, line }), " ", text)));
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

  let choosePath = () => {};
  const view = { form: null, changing: true, defines: true, search: "", from: 0 };
  const forms = (path) => [...(path.moves.length > 0 ? [["moves", "Steps"]] : []), ["waves", "Waveforms"], ["values", "Table"]];
  // The form that was chosen, where this path has it; otherwise the one that tells most.
  const formOf = (path) => (forms(path).find(([form]) => form === view.form) || forms(path)[0])[0];

  function pathView(property) {
    const area = element("div", { class: "path" });
    const content = element("div");
    const pathButtons = element("div", { class: "group", role: "group", "aria-label": "Path" });
    choosePath = (number) => {
      shown.path = number;
      view.from = 0;
      drawTabs();
      draw();
      refresh();
      area.scrollIntoView({ block: "nearest" });
    };
    const tabs = element("div", { class: "group", role: "tablist", "aria-label": "Form" });
    const chosenPath = () => property.paths[shown.path] || property.paths[0];
    function drawTabs() {
      const all = forms(chosenPath());
      const current = formOf(chosenPath());
      tabs.replaceChildren(...all.map(([form, title], number) => element("button", {
        class: "button", type: "button", role: "tab", "data-form": form,
        "aria-selected": String(current === form), tabindex: current === form ? 0 : -1,
        onclick: () => { view.form = form; view.from = 0; drawTabs(); draw(); },
        onkeydown: (event) => {
          if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
          const by = event.key === "ArrowLeft" ? all.length - 1 : 1;
          view.form = all[(number + by) % all.length][0];
          view.from = 0;
          drawTabs(); draw();
          tabs.querySelector('[aria-selected="true"]').focus();
        },
      }, title)));
    }
    const check = (id, title, key) => element("label", { class: "check" },
      fill(element("input", { type: "checkbox", id, onchange: (event) => { view[key] = event.target.checked; draw(); } }),
        { checked: view[key] }, []), title);
    const pager = element("div", { class: "bar" });
    function draw() {
      const path = chosenPath();
      const form = formOf(path);
      pathButtons.replaceChildren(...(property.paths.length > 1 ? property.paths.map((_, number) => element("button", {
        class: "button", type: "button", "aria-pressed": String(number === shown.path), onclick: () => choosePath(number),
      }, property.paths[number].title || `Path ${number + 1}`)) : []));
      const count = form === "moves" ? path.moves.length : path.steps;
      const atOnce = form === "moves" ? MOVES_AT_ONCE : STEPS_AT_ONCE;
      const until = Math.min(count, view.from + atOnce);
      pager.replaceChildren();
      if (count > atOnce) {
        const first = form === "moves" ? 1 : 0;
        const move = (by) => () => {
          view.from = Math.max(0, Math.min(view.from + by, Math.floor((count - 1) / atOnce) * atOnce));
          draw();
        };
        pager.append(
          element("button", { class: "button", type: "button", disabled: view.from === 0, onclick: move(-atOnce) }, "◂ Earlier"),
          element("span", {}, `steps ${view.from + first} to ${until - 1 + first} of ${count}`),
          element("button", { class: "button", type: "button", disabled: until >= count, onclick: move(atOnce) }, "Later ▸"));
      }
      content.replaceChildren({ moves, waves, values }[form](path, view.from, until), legend(path));
    }
    drawTabs();
    draw();
    area.append(element("h3", {}, { fails: "Counterexample", holds: "Witness" }[property.verdict] || "Trace"),
      element("div", { class: "bar" }, tabs, pathButtons,
        check("changing", "Only what changes", "changing"), check("defines", "Defines", "defines"),
        element("span", { class: "grow" }),
        element("label", {}, element("span", { class: "visually-hidden" }, "Search signals"),
          fill(element("input", { type: "search", id: "signal-search", placeholder: "Search signals", oninput: (event) => { view.search = event.target.value; draw(); } }),
            { value: view.search }, []))),
      pager, content);
    return area;
  }

  function legend(path) {
    const line = element("p", { class: "legend" });
    line.append(element("span", {}, plural(path.moves.length || path.steps, "step")));
    if (path.loop !== null) {
      line.append(element("span", {}, element("span", { class: "swatch", style: "background: var(--loop)" }),
        `after step ${path.steps - 1} the path goes back to step ${path.loop}, for ever`));
    }
    if (path.stays) line.append(element("span", {}, "the last state is repeated for ever"));
    if (path.violation !== null) {
      line.append(element("span", {}, element("span", { class: "swatch violation" }), `violated at step ${path.violation}`));
    }
    for (const sentence of path.ending) line.append(element("span", { class: "ending" }, sentence));
    if (path.signals.some((signal) => signal.kind === "input")) {
      line.append(element("span", {}, "an input belongs to the transition that leaves its step"));
    }
    return line;
  }

  function chosenSignals(path) {
    const wanted = view.search.toLowerCase();
    // Searching looks everywhere, and a path on which nothing changes would show nothing.
    const changing = view.changing && wanted === "" && path.signals.some((signal) => signal.changes);
    return path.signals.filter((signal) =>
      (!changing || signal.changes) &&
      (view.defines || signal.kind !== "define") &&
      signal.name.toLowerCase().includes(wanted));
  }

  // Rows of a view: sections with their titles, signals with their kinds, subformulas with their depth.
  function rows(path, columns, signalRow, formulaRow) {
    const list = [];
    const section = (title) => list.push(element("tr", { class: "section" }, element("th", { scope: "rowgroup" }, title), element("td", { colspan: columns })));
    const signals = chosenSignals(path);
    section(`Signals (${signals.length} of ${path.signals.length})`);
    for (const signal of signals.slice(0, SIGNALS_AT_ONCE)) {
      list.push(element("tr", { "data-signal": signal.name },
        element("th", { scope: "row", title: `${signal.name}${signal.sort ? ` : ${signal.sort}` : ""}` }, signal.name,
          signal.kind !== "state" && element("span", { class: "kind" }, signal.kind)), signalRow(signal)));
    }
    if (signals.length > SIGNALS_AT_ONCE) {
      list.push(element("tr", {}, element("th", {}, `${signals.length - SIGNALS_AT_ONCE} more: search for them`), element("td", { colspan: columns })));
    }
    if (path.formulas.length > 0) {
      section("Truth of the formula and its parts");
      for (const formula of path.formulas) {
        list.push(element("tr", { "data-formula": formula.text },
          element("th", { scope: "row", title: formula.text, style: `padding-left: ${12 + 14 * formula.depth}px` }, formula.text), formulaRow(formula)));
      }
    }
    return list;
  }

  // ---- the steps of those who move
  function moves(path, from, until) {
    const wanted = view.search.toLowerCase();
    const rows = [];
    for (let number = from; number < until; number++) {
      const step = path.moves[number];
      const said = `${step.lane} ${step.text} ${step.changes.join(" ")}`;
      if (wanted && !said.toLowerCase().includes(wanted)) continue;
      const bad = path.violation !== null && path.violation === number + 1;
      const kind = `${path.loop !== null && number >= path.loop ? " loop" : ""}${path.loop === number ? " start" : ""}${bad ? " violation" : ""}`;
      const party = (who, first) => [element("td", {}, who.lane), element("td", {}, placeLink(who.place)), element("td", { class: "statement" }, who.text),
        element("td", {}, first && step.changes.join(", "))];
      for (const remark of step.remarks) rows.push(element("tr", { class: `remark${kind}` }, element("td", {}), element("td", { colspan: 4 }, remark)));
      rows.push(element("tr", { class: `move${kind}`, "data-step": number + 1 }, element("td", { class: "number" }, number + 1), party(step, true)));
      if (step.partner) rows.push(element("tr", { class: `partner${kind}` }, element("td", {}), party(step.partner, false)));
      if (step.printed.length > 0) rows.push(element("tr", { class: `remark${kind}` }, element("td", {}), element("td", { colspan: 4 }, element("pre", {}, step.printed.join("\n")))));
    }
    const heads = ["step", "who", "where", "what", "changes"].map((head) => element("th", { scope: "col" }, head));
    return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Steps" },
      element("table", { class: "moves" }, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows)));
  }

  // ---- the table of values
  function values(path, from, until) {
    const loopClass = (step) => (path.loop !== null && step >= path.loop ? ` loop${step === path.loop ? " start" : ""}` : "") +
      (step === path.violation ? " violation" : "");
    const steps = Array.from({ length: until - from }, (_, index) => from + index);
    const head = element("tr", {}, element("th", { scope: "col" }, "step"),
      steps.map((step) => element("th", { scope: "col", class: loopClass(step) }, path.loop === step ? `↻ ${step}` : step)));
    const signalRow = (signal) => steps.map((step) => {
      const value = signal.at[step];
      const changed = step > 0 && value !== signal.at[step - 1];
      return element("td", { class: `${changed ? "changed" : step > 0 ? "same" : ""}${loopClass(step)}` }, value < 0 ? "" : signal.values[value]);
    });
    const formulaRow = (formula) => steps.map((step) => {
      const truth = { 1: ["true", "T"], 0: ["false", "F"], "?": ["", "?"] }[formula.at[step]];
      return element("td", { class: truth[0] + loopClass(step) }, truth[1]);
    });
    const table = element("table", { class: "signals values" }, element("thead", {}, head),
      element("tbody", {}, rows(path, steps.length, signalRow, formulaRow)));
    return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Values at each step" }, table);
  }

  // ---- waveforms
  function waves(path, from, until) {
    const longest = Math.max(3, ...chosenSignals(path).map((signal) => signal.bool ? 1 : Math.max(1, ...signal.values.map((value) => value.length))));
    const column = Math.min(130, Math.max(46, longest * 7.2 + 18));
    const count = until - from;
    const width = (count + 0.5) * column + 8;
    const loopFrom = path.loop === null ? null : Math.max(0, path.loop - from);
    const loopHere = loopFrom !== null && loopFrom < count;
    const backdrop = (height) => [
      loopHere && drawn("rect", { class: "shade", x: loopFrom * column, y: 0, width: width - loopFrom * column, height }),
      path.violation !== null && path.violation >= from && path.violation < until &&
        drawn("rect", { class: "violated", x: (path.violation - from) * column, y: 0, width: column, height }),
      Array.from({ length: count + 1 }, (_, index) => drawn("line", { class: "rule", x1: index * column, x2: index * column, y1: 0, y2: height })),
      loopHere && path.loop >= from && drawn("line", { class: "loop-line", x1: loopFrom * column, x2: loopFrom * column, y1: 0, y2: height }),
    ];
    const line = (height, ...shapes) => element("td", { class: "wave" },
      drawn("svg", { class: "wave", width, height, "aria-hidden": "true" }, backdrop(height), shapes));

    const headHeight = path.loop === null ? 28 : 50;
    const head = drawn("svg", { class: "wave", width, height: headHeight, role: "img", "aria-label": `steps ${from} to ${until - 1}` }, backdrop(headHeight),
      Array.from({ length: count }, (_, index) => drawn("text", { class: `step${from + index === path.violation ? " violation" : ""}`, x: (index + 0.5) * column, y: headHeight - 9, "text-anchor": "middle" }, from + index)));
    if (loopHere && until === path.steps) {
      const [left, right, low] = [(loopFrom + 0.5) * column, (count - 0.5) * column, 24];
      const inside = path.loop >= from ? left : 0;
      if (right > inside) {
        head.append(drawn("path", { class: "loop-line", d: `M${right} ${low}C${right} 5 ${right - 8} 5 ${right - 16} 5L${inside + 16} 5C${inside + 8} 5 ${inside} 5 ${inside} ${low - 5}` }));
      } else {
        head.append(drawn("path", { class: "loop-line", d: `M${right + 9} ${low}C${right + 22} 2 ${right - 22} 2 ${right - 9} ${low - 5}` }));
      }
      const tip = right > inside ? inside : right - 9;
      head.append(drawn("path", { class: "loop-head", d: `M${tip - 4.5} ${low - 7}L${tip + 4.5} ${low - 7}L${tip} ${low + 1}Z` }));
      if (right - inside > 90) head.append(drawn("text", { class: "loop-text", x: (right + inside) / 2, y: 18, "text-anchor": "middle" }, "loop"));
    }

    // Runs of equal values within the steps shown: [value, first column, one past the last column].
    const runs = (at) => {
      const list = [];
      for (let step = from; step < until; step++) {
        const last = list[list.length - 1];
        if (last && last[0] === at[step]) last[2] += 1;
        else list.push([at[step], step - from, step - from + 1]);
      }
      return list;
    };
    function level(at, isHigh, isKnown, shift, extra) {
      const shapes = [];
      let trail = "";
      for (const [value, start, end] of runs(at)) {
        const [x1, x2] = [(start + shift) * column, (end + shift) * column];
        if (!isKnown(value)) {
          if (extra) shapes.push(drawn("path", { class: "doubt", d: `M${x1} 15L${x2} 15` }));
          continue;
        }
        const y = isHigh(value) ? 6 : 24;
        if (isHigh(value)) shapes.push(drawn("rect", { class: `high ${extra}`, x: x1, y: 6, width: x2 - x1, height: 18 }));
        trail += trail && start > 0 && isKnown(at[from + start - 1]) ? `L${x1} ${y}L${x2} ${y}` : `M${x1} ${y}L${x2} ${y}`;
      }
      shapes.push(drawn("path", { class: `level ${extra}`, d: trail || "M0 0" }));
      return shapes;
    }
    function bands(signal, shift) {
      return runs(signal.at).filter(([value]) => value >= 0).map(([value, start, end]) => {
        const [x1, x2] = [(start + shift) * column + 1, (end + shift) * column - 1];
        const text = signal.values[value];
        const room = Math.max(1, Math.floor((x2 - x1 - 12) / 7));
        const label = text.length > room ? `${text.slice(0, Math.max(0, room - 1))}…` : text;
        return drawn("g", {}, drawn("title", {}, text),
          drawn("path", { class: "band", d: `M${x1} 15L${x1 + 5} 5L${x2 - 5} 5L${x2} 15L${x2 - 5} 25L${x1 + 5} 25Z` }),
          drawn("text", { x: (x1 + x2) / 2, y: 19, "text-anchor": "middle" }, label));
      });
    }
    const described = (row, words) => { row.append(element("span", { class: "visually-hidden" }, words)); return row; };
    const signalRow = (signal) => {
      const shift = signal.kind === "input" ? 0.5 : 0;
      const spoken = runs(signal.at).map(([value, start]) => `${value < 0 ? "no value" : signal.values[value]} from step ${from + start}`).join(", ");
      const isHigh = (value) => value >= 0 && signal.values[value] === "TRUE";
      return described(line(30, signal.bool ? level(signal.at, isHigh, (value) => value >= 0, shift, "") : bands(signal, shift)), spoken);
    };
    const formulaRow = (formula) => described(
      line(30, level(formula.at, (value) => value === "1", (value) => value !== "?", 0, "truth")),
      runs(formula.at).map(([value, start]) => `${{ 1: "true", 0: "false", "?": "unknown" }[value]} from step ${from + start}`).join(", "));
    const table = element("table", { class: "signals" },
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "step"), element("th", { scope: "col", style: "padding: 0; line-height: 0" }, head))),
      element("tbody", {}, rows(path, 1, signalRow, formulaRow)));
    return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Waveforms" }, table);
  }

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
    const known = (node) => graph.names.map((name, at) => [name, node.values[at]]).filter(([, value]) => value !== undefined);
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
      path.nodes.forEach((number, step) => {
        if (number === null) return;
        nodes[number].classList.add("on");
        if (path.loop !== null && step >= path.loop) nodes[number].classList.add("loop");
        at.set(number, (at.get(number) || []).concat(step));
        const after = step + 1 < path.steps ? step + 1 : path.loop;
        if (after === null || path.nodes[after] === null) return;
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
    const boxes = files.map((file, number) => element("details", { open: number === 0 && data.alone }, element("summary", {}, data.sources[number].name), file));
    function mark() {
      for (const file of notes) for (const note of file.values()) note.textContent = "";
      const property = data.properties[shown.open];
      if (!property) return;
      const said = new Map();
      const say = (source, line, text) => {
        const note = source !== null && notes[source] && notes[source].get(line);
        if (note) said.set(note, (said.get(note) || []).concat(text));
      };
      const path = property.paths[shown.path];
      (path ? path.moves : []).forEach((step, number) => {
        for (const who of [step, step.partner]) if (who && who.place) say(who.place.source, who.place.line, number + 1);
      });
      for (const [note, steps] of said) {
        const first = [...new Set(steps)];
        said.set(note, [`${first.length === 1 ? "step" : "steps"} ${first.slice(0, 8).join(", ")}${first.length > 8 ? " …" : ""}`]);
      }
      for (const exhibit of property.exhibits) {
        if (exhibit.kind === "source") for (const [line, text] of exhibit.source.marks) say(exhibit.source.source, line, text);
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
    app.replaceWith(element("main", {}, top, pathView(data.properties[0]), footer, live));
    return;
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
    section("state-graph", "State graph", graphView.node), section("sources", "Source", sourceView.node), footer, live));
  drawProperties();
  refresh();
})();
