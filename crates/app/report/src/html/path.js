// One path of a property: its steps, its waveforms, its values.

let choosePath = () => {};
const view = { form: null, changing: true, defines: true, generated: false, search: "", from: 0 };
const forms = (path) => [...(path.moves.length > 0 ? [["moves", "Steps"]] : []), ["waves", "Waveforms"], ["values", "Table"]];
// The form that was chosen, where this path has it; otherwise the one that tells most.
const formOf = (path) => (forms(path).find(([form]) => form === view.form) || forms(path)[0])[0];

function pathView(property) {
  const area = element("div", { class: "path" });
  const content = element("div");
  const pathButtons = element("div", { class: "group", role: "group", "aria-label": "Path" });
  choosePath = (number) => {
    shown.path = number;
    toViolation();
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
      onclick: () => { view.form = form; toViolation(); },
      onkeydown: (event) => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
        const by = event.key === "ArrowLeft" ? all.length - 1 : 1;
        view.form = all[(number + by) % all.length][0];
        toViolation();
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
    const atOnce = atOnceIn(form);
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
    content.replaceChildren({ moves, waves, values }[form](path, view.from, until), legend(path, toViolation));
  }
  // Shows the part of the path with the step at which the property is violated; the beginning, if there is none.
  function toViolation() {
    const path = chosenPath();
    const form = formOf(path);
    const at = path.violation === null ? 0 : Math.max(0, form === "moves" ? path.violation - 1 : Math.min(path.violation, path.steps - 1));
    view.from = Math.floor(at / atOnceIn(form)) * atOnceIn(form);
    drawTabs();
    draw();
    window.requestAnimationFrame(() => centre(content.querySelector(".violation:not(.swatch)")));
  }
  toViolation();
  area.append(element("h3", {}, { fails: "Counterexample", holds: "Witness" }[property.verdict] || "Trace"),
    element("div", { class: "bar" }, tabs, pathButtons,
      check("changing", "Only what changes", "changing"), check("defines", "Defines", "defines"),
      property.paths.some((path) => path.signals.some((signal) => signal.generated)) && check("generated", "Generated names", "generated"),
      element("span", { class: "grow" }),
      element("label", {}, element("span", { class: "visually-hidden" }, "Search signals"),
        fill(element("input", { type: "search", id: "signal-search", placeholder: "Search signals", oninput: (event) => { view.search = event.target.value; draw(); } }),
          { value: view.search }, []))),
    pager, content);
  return area;
}

const atOnceIn = (form) => (form === "moves" ? MOVES_AT_ONCE : STEPS_AT_ONCE);

// Scrolls the box around an element, not the page, until the element is in its middle.
function centre(node) {
  const box = node && node.closest(".scroll");
  if (!box) return;
  const [inner, outer] = [node.getBoundingClientRect(), box.getBoundingClientRect()];
  box.scrollLeft += inner.left - outer.left - outer.width / 2;
  box.scrollTop += inner.top - outer.top - outer.height / 2;
}

function legend(path, toViolation) {
  const line = element("p", { class: "legend" });
  line.append(element("span", {}, plural(path.moves.length || path.steps, "step")));
  if (path.loop !== null) {
    line.append(element("span", {}, element("span", { class: "swatch", style: "background: var(--loop)" }),
      `after step ${path.steps - 1} the path goes back to step ${path.loop}, for ever`));
  }
  if (path.stays) line.append(element("span", {}, "the last state is repeated for ever"));
  if (path.violation !== null) {
    line.append(element("span", {}, element("span", { class: "swatch violation" }),
      element("button", { class: "link", type: "button", id: "to-violation", onclick: toViolation }, `violated at step ${path.violation}`)));
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
    (view.generated || wanted !== "" || !signal.generated) &&
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
      element("th", { scope: "row", title: `${signal.name}${signal.sort ? ` : ${signal.sort}` : ""}` }, signal.place && signal.place.source !== null ? placeLink({ ...signal.place, text: signal.name }) : signal.name,
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
    const isHigh = (value) => value >= 0 && ["TRUE", "true", "1"].includes(signal.values[value]);
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
