// The panels: clusters and their rules, the choice, parameters, export, the diary, and the table.

function markOf(label, theme) {
  const { colour, mark } = lookOf(label, theme);
  const sign = element("span", { class: "rx-mark", "aria-hidden": "true" }, MARK_SIGNS[mark]);
  sign.style.color = colour;
  return sign;
}

function lines(texts, className) {
  return element("div", { class: className }, ...texts.map((text) => element("div", {}, text)));
}

function clustersPanel(app) {
  const { model, theme } = app;
  const list = element("ul", { class: "rx-clusters", role: "listbox", "aria-label": "Clusters" });
  const total = Math.max(1, model.clusters.reduce((sum, each) => sum + each.rows, model.noise));
  const entry = (label, rows, more) => {
    const isChosen = app.plot.chosen === label;
    const share = `${((100 * rows) / total).toFixed(1)} %`;
    const item = element("li", {
      role: "option", tabindex: "0", "aria-selected": String(isChosen), "data-label": label,
      onclick: () => app.choose(isChosen ? null : label),
      onkeydown: (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          app.choose(isChosen ? null : label);
        }
      },
    }, markOf(label, theme), element("span", { class: "rx-name" }, nameOf(label)),
    element("span", { class: "rx-count" }, `${shortNumber(rows)} rows (${share})${more}`));
    return item;
  };
  for (const each of model.clusters.slice(0, MOST_LISTED)) {
    const n = each.categories;
    list.append(entry(each.label, each.rows, n ? `, ${n.toLocaleString("en")} ${n === 1 ? "category" : "categories"}` : ""));
  }
  if (model.noise) list.append(entry(-1, model.noise, ""));
  const left = model.clusters.length - MOST_LISTED;
  return element("div", {}, list, left > 0 ? element("p", {}, `and ${left.toLocaleString("en")} smaller clusters`) : null, app.rulesBox);
}

const MOST_LISTED = 500;

// ---------------------------------------------------------------------- the choice

function choicePanel(app) {
  const root = element("div", {});
  if (app.model.why) root.append(element("p", { class: "rx-why" }, app.model.why));
  if (!app.model.choice) {
    root.append(element("p", {}, "There are no alternatives to show for this model."));
    return root;
  }
  const busy = element("p", { role: "status" }, "Computing the alternatives …");
  root.append(busy);
  const isTree = app.model.choice === "tree";
  app.askOnce(isTree ? "readings" : "plane").then((told) => {
    busy.remove();
    root.append(isTree ? treePanel(app, told) : planePanel(app, told));
    if (!root.isConnected) return;
    app.side.scrollTop = app.scrolled;
    if (app.refocus) root.querySelector(app.refocus)?.focus({ preventScroll: true });
  }, (error) => { busy.textContent = error.message; });
  return root;
}

function treePanel(app, told) {
  const canvas = element("canvas", { class: "rx-tree", role: "img", "aria-label": treeInWords(told.tree) });
  const root = element("div", {}, element("h3", {}, "The condensed tree"),
    element("p", { class: "rx-small" }, "Density increases downwards. A branch is as wide as it has rows left. The model's clusters are shown in their colours."), canvas);
  requestAnimationFrame(() => paintTree(canvas, told.tree, app));
  const multiples = element("div", { class: "rx-multiples" });
  told.readings.forEach((reading, k) => {
    const title = k > 0 ? `runner-up ${k}` : app.model.is_kept_reading ? "kept" : "chosen";
    const trust = reading.confidence ? `, confidence ${reading.confidence}` : "";
    const about = `${title}: ${countOf(reading.n_clusters, "cluster")}, ${(100 * reading.noise).toFixed(1)} % noise${trust}`;
    const picture = element("canvas", { width: 150, height: 110, "aria-hidden": "true" });
    const button = element("button", {
      class: "rx-multiple", type: "button", "data-reading": k, "aria-pressed": String(app.reading === k), title: inWords(reading),
      onclick: () => app.showReading(k, told),
    }, picture, element("span", {}, about));
    multiples.append(button);
    requestAnimationFrame(() => paintMultiple(picture, app, readingLabels(told, k)));
  });
  const hint = app.line.isLive ? "Click one to see it; Keep makes it the model." : "Click one to see it; its labels can be exported.";
  root.append(element("h3", {}, "The runners-up"),
    element("p", { class: "rx-small" }, `${told.n_considered} ways to read the clusters were considered. Those with other clusters are shown, the best first. ${hint}`));
  const shown = told.readings[app.reading];
  if (app.reading > 0) {
    const params = shown.params ? ` Parameters that give it: ${Object.entries(shown.params).map(([name, value]) => `${name}=${value}`).join(", ")}.` : "";
    root.append(element("p", { class: "rx-reading" }, `Runner-up ${app.reading}: ${inWords(shown)}.${params}`));
    if (app.line.isLive && !shown.can_be_kept) {
      root.append(element("p", { class: "rx-small" }, "This model forgets rows, so no other reading can be kept. Its labels can be exported."));
    }
  }
  root.append(multiples);
  return root;
}

// A size in words, which may be a share.
function ofRows(size) {
  return size.endsWith("%") ? `${size} of the rows` : size;
}

function inWords(reading) {
  if (reading.selection === "one") return "all rows as one cluster";
  const how = { eom: "the branches of the tree that last longest", leaf: "all leaves of the tree", cut: "one cut through the tree", fixed: `the ${reading.n_clusters} branches of the tree that last longest` }[reading.selection];
  const scaled = {
    given: "features as given", range: "features scaled by range", standard: "features scaled by standard deviation", rank: "features scaled by rank",
    pca: `the first ${reading.n_components} principal components`,
  }[reading.scaling];
  return `${how}; ${scaled}; at least ${ofRows(reading.least_size)} in a cluster; ${reading.min_samples === 1 ? "distances alone, without density" : `density from the nearest ${ofRows(reading.nearest)}`}`;
}

function readingLabels(told, k) {
  const labels = told.labels[k];
  return told.categories ? Int32Array.from(told.categories, (c) => labels[c]) : new Int32Array(0);
}

function treeInWords(tree) {
  const chosen = tree.nodes.filter((node) => node.selected);
  return `A tree of ${tree.n_nodes} branches; ${chosen.length} of them are clusters of the model: ` +
    chosen.slice(0, 20).map((node) => `${nameOf(node.label)}, ${shortNumber(node.size)} rows from density ${shortNumber(node.birth)}`).join("; ");
}

function paintTree(canvas, tree, app) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const width = (canvas.width = Math.max(200, canvas.clientWidth * ratio));
  const height = (canvas.height = 220 * ratio);
  const context = canvas.getContext("2d");
  const { ink, faint } = INK[app.theme];
  if (!tree.nodes.length) return;
  const children = tree.nodes.map(() => []);
  tree.nodes.forEach((node, k) => { if (node.parent >= 0) children[node.parent].push(k); });
  // Leaves are placed side by side, wider where they have more rows.
  const centre = new Array(tree.nodes.length).fill(0);
  const leaves = [];
  const gather = (k) => (children[k].length ? children[k].forEach(gather) : leaves.push(k));
  gather(0);
  const total = leaves.reduce((sum, k) => sum + Math.sqrt(tree.nodes[k].size), 0) || 1;
  let x = 0;
  for (const k of leaves) {
    const own = Math.sqrt(tree.nodes[k].size) / total;
    centre[k] = x + own / 2;
    x += own;
  }
  for (let k = tree.nodes.length - 1; k >= 0; k--) {
    if (children[k].length) centre[k] = children[k].reduce((sum, c) => sum + centre[c], 0) / children[k].length;
  }
  const ends = tree.nodes.map((node) => node.end).filter((end) => end > 0).sort((a, b) => a - b);
  const first = tree.nodes.map((node) => node.birth).filter((b) => b > 0).sort((a, b) => a - b)[0] || ends[0] || 1;
  const deepest = ends[Math.floor((ends.length - 1) * 0.98)] || 1;
  // On a logarithmic scale: densities span several powers of ten.
  const y = (lambda) => {
    const low = Math.log(first / 2);
    const share = (Math.log(Math.max(lambda, first / 2)) - low) / (Math.log(Math.max(deepest, first)) - low || 1);
    return (8 + Math.min(share, 1.02) * (height / ratio - 16)) * ratio;
  };
  const largest = tree.nodes[0].size || 1;
  const half = (size) => Math.max(1, (Math.sqrt(size / largest) * 0.42 * width) / Math.sqrt(Math.max(leaves.length, 1)) * 0.8) ;
  tree.nodes.forEach((node, k) => {
    const at = centre[k] * width;
    if (node.parent >= 0) {
      context.strokeStyle = faint;
      context.lineWidth = ratio;
      context.beginPath();
      context.moveTo(centre[node.parent] * width, y(node.birth));
      context.lineTo(at, y(node.birth));
      context.stroke();
    }
    context.fillStyle = node.label >= 0 ? lookOf(node.label, app.theme).colour : app.theme === "dark" ? "#5A6069" : "#BFC3C9";
    context.beginPath();
    const shape = [...node.shape, [node.end, node.shape[node.shape.length - 1][1]]];
    shape.forEach(([lambda, size], i) => context[i ? "lineTo" : "moveTo"](at - half(size), y(lambda)));
    [...shape].reverse().forEach(([lambda, size]) => context.lineTo(at + half(size), y(lambda)));
    context.closePath();
    context.fill();
    if (node.selected) {
      context.strokeStyle = ink;
      context.lineWidth = 1.5 * ratio;
      context.stroke();
    }
  });
}

function paintMultiple(canvas, app, labels) {
  const { plot } = app;
  const [width, height] = [canvas.width, canvas.height];
  const context = canvas.getContext("2d");
  context.fillStyle = INK[app.theme].ground;
  context.fillRect(0, 0, width, height);
  if (!labels.length) return;
  const [xl, xh] = extentOf(plot.places[0], [], 0);
  const [yl, yh] = extentOf(plot.places[1], [], 1);
  const view = { xs: width / (xh - xl), ys: -height / (yh - yl), x0: 0, y0: 0, width, height, ratio: 1 };
  view.x0 = -xl * view.xs;
  view.y0 = -yh * view.ys;
  const image = new ImageData(width, height);
  paintRows(image, plot.places, labels, view, { theme: app.theme, size: labels.length > 3000 ? 1 : 1.4, dimmed: null, alpha: 0.8 });
  context.putImageData(image, 0, 0);
}

function planePanel(app, told) {
  const isPlane = told.names.length > 1;
  const kinds = Object.keys(told.shown);
  const titles = { score: "score (higher is better)", clusters: "number of clusters", stability: "stability", index: "adjusted Rand index with the known classes" };
  const select = element("select", { "aria-label": "What the plane shows", onchange: () => paint() }, ...kinds.map((name) => element("option", { value: name }, titles[name])));
  const [least, most] = [element("span", {}), element("span", {})];
  const scaleBar = element("canvas", { width: 200, height: 10, "aria-hidden": "true" });
  const canvas = element("canvas", { class: "rx-plane", tabindex: "0", role: "img" });
  const about = element("p", { class: "rx-cell", role: "status", "aria-live": "polite" });
  const act = app.line.isLive ? "Click it, or press Enter, to make it the model." : "Click it, or press Enter, to hold it in the picture; its labels can then be exported.";
  const where = isPlane ? `Left to right: ${told.names[0]} from 0 to 1. Bottom to top: ${told.names[1]} from 0 to 1.` : `Left to right: ${told.names[0]} from 0 to 1.`;
  const root = element("div", {}, element("h3", {}, isPlane ? `All pairs of ${told.names.join(" and ")}` : `All values of ${told.names[0]}`),
    element("label", {}, "Show ", select), canvas, about,
    element("div", { class: "rx-legend" }, least, scaleBar, most),
    element("p", { class: "rx-small" }, `${where} White frame: the best score. Red frame: the cell described above.`),
    element("p", { class: "rx-small" }, `Point at a cell to see its clusters. ${act} The arrow keys move from cell to cell.`),
    element("p", { class: "rx-small" }, told.note));
  const [xs, ys] = [told.cells[0], isPlane ? told.cells[1] : null];
  const columns = [...new Set(xs)].sort((a, b) => a - b);
  const rowsOf = isPlane ? [...new Set(ys)].sort((a, b) => a - b) : [0];
  const place = new Map();
  xs.forEach((x, k) => place.set(`${columns.indexOf(x)},${isPlane ? rowsOf.indexOf(ys[k]) : 0}`, k));
  let current = told.best;
  const paint = () => {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = (canvas.width = Math.max(200, canvas.clientWidth * ratio));
    const height = (canvas.height = (isPlane ? 260 : 60) * ratio);
    const context = canvas.getContext("2d");
    const values = told.shown[select.value];
    const finite = Array.from(values).filter(Number.isFinite);
    const isCount = select.value === "clusters";
    const scale = (v) => (isCount ? Math.log(Math.max(v, 1)) : v);
    const low = Math.min(...finite.map(scale));
    const high = Math.max(...finite.map(scale));
    const [w, h] = [width / columns.length, height / rowsOf.length];
    context.clearRect(0, 0, width, height);
    for (const [key, k] of place) {
      const [c, r] = key.split(",").map(Number);
      const colour = heatOf((scale(values[k]) - low) / (high - low || 1));
      if (!colour) continue;
      context.fillStyle = colour;
      context.fillRect(c * w, height - (r + 1) * h, w + 0.5, h + 0.5);
    }
    // Frames on dark ground, to be seen on any colour.
    for (const [k, colour] of [[told.best, "#FFFFFF"], [current, "#FF3B30"]]) {
      const x = columns.indexOf(xs[k]) * w;
      const y = height - (1 + (isPlane ? rowsOf.indexOf(ys[k]) : 0)) * h;
      for (const [thick, ink] of [[5, "#000000"], [2.5, colour]]) {
        context.strokeStyle = ink;
        context.lineWidth = thick * ratio;
        context.strokeRect(x - ratio, y - ratio, w + 2 * ratio, h + 2 * ratio);
      }
    }
    const bar = scaleBar.getContext("2d");
    for (let i = 0; i < scaleBar.width; i++) {
      bar.fillStyle = heatOf(i / (scaleBar.width - 1));
      bar.fillRect(i, 0, 1, scaleBar.height);
    }
    [least.textContent, most.textContent] = [Math.min(...finite), Math.max(...finite)].map((v) => (finite.length ? rounded(v) : ""));
    canvas.setAttribute("aria-label", `Heat map of ${select.value}, ${columns.length} by ${rowsOf.length}. ${say(current)}`);
  };
  const say = (k) => {
    const at = told.names.map((name, i) => `${name} ${Number(told.cells[i][k].toFixed(10))}`).join(", ");
    const what = kinds.filter((name) => Number.isFinite(told.shown[name][k])).map((name) => `${name} ${rounded(told.shown[name][k])}`).join(", ");
    return `${at}: ${what}${k === told.best ? " (best)" : ""}`;
  };
  const look = (k) => {
    current = k;
    about.textContent = say(k);
    app.showPartition(told, k);
    paint();
  };
  const keep = (k) => (app.line.isLive ? fit(k) : hold(k));
  const hold = (k) => {
    app.pinned = true;
    look(k);
  };
  const fit = (k) => app.fit(Object.fromEntries(told.names.map((name, i) => [name, Number(told.cells[i][k].toFixed(10))])));
  const cellAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const c = Math.floor(((event.clientX - box.left) / box.width) * columns.length);
    const r = rowsOf.length - 1 - Math.floor(((event.clientY - box.top) / box.height) * rowsOf.length);
    return place.get(`${c},${r}`);
  };
  canvas.addEventListener("pointermove", (event) => {
    const k = cellAt(event);
    if (k !== undefined && k !== current && !app.pinned) look(k);
  });
  canvas.addEventListener("pointerleave", () => app.showPartition(null));
  canvas.addEventListener("click", (event) => {
    const k = cellAt(event);
    if (k !== undefined) keep(k);
  });
  canvas.addEventListener("keydown", (event) => {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (event.key === "Enter") keep(current);
    if (event.key === "Escape") {
      app.pinned = false;
      app.showPartition(null);
    }
    if (!moves) return;
    event.preventDefault();
    const c = columns.indexOf(xs[current]) + moves[0];
    const r = (isPlane ? rowsOf.indexOf(ys[current]) : 0) + moves[1];
    const k = place.get(`${c},${r}`);
    if (k !== undefined) look(k);
  });
  about.textContent = say(current);
  requestAnimationFrame(paint);
  return root;
}

// ---------------------------------------------------------------------- parameters

function parametersPanel(app) {
  const root = element("form", { class: "rx-parameters", onsubmit: (event) => event.preventDefault() });
  const disabled = !app.line.isLive || !app.rows.n_rows;
  if (!app.line.isLive) {
    root.append(element("p", {}, "Parameters cannot be changed here: this is a saved page, and fitting needs Python."),
      element("p", { class: "rx-small" }, "What works without Python: rows, boxes, rules and explanations, the alternatives under Choice, and all files under Export. To change a parameter, open the data with resonart explore, or run the lines under Export."));
  } else if (!app.rows.n_rows) {
    root.append(element("p", {}, "Parameters cannot be changed without rows. Open the data together with the model."));
  }
  for (const each of app.model.params) {
    const id = `${app.id}-${each.name}`;
    const label = element("label", { for: id }, each.name);
    const row = element("div", { class: "rx-parameter" }, label, ...fieldsOf(each, id, disabled, app), element("div", { class: "rx-small" }, each.help));
    root.append(row);
  }
  if (app.model.is_part) {
    root.append(element("button", { type: "button", class: "rx-all", onclick: () => app.fit({}, true) }, "Fit all rows"));
  }
  return root;
}

function fieldsOf(each, id, disabled, app) {
  const change = (value) => app.change(each.name, value);
  if (each.kind === "choice") {
    const select = element("select", { id, disabled, onchange: () => change(select.value) },
      ...each.choices.map((choice) => element("option", { value: choice, selected: choice === each.value }, choice)));
    return [select];
  }
  if (each.kind === "flag") {
    const box = element("input", { id, disabled, type: "checkbox", checked: each.value, onchange: () => change(box.checked) });
    return [box];
  }
  const isSlider = each.kind === "real" && each.low === 0 && each.high === 1;
  const shown = each.used !== null && each.used !== undefined ? each.used : each.value;
  if (isSlider) {
    const number = element("input", { id, disabled, type: "number", min: 0, max: 1, step: "any", value: shown, class: "rx-number", onchange: () => change(Number(number.value)) });
    const slider = element("input", {
      disabled, type: "range", min: 0, max: 1, step: 0.005, value: shown, "aria-label": `${each.name}, slider`,
      oninput: () => { number.value = slider.value; change(Number(slider.value)); },
    });
    return each.value === "auto" ? [slider, number, element("span", { class: "rx-small" }, "auto")] : [slider, number];
  }
  const text = element("input", {
    id, disabled, type: "text", value: each.value === null ? "none" : each.value, class: "rx-number", spellcheck: "false",
    onchange: () => {
      const given = text.value.trim();
      change(given === "none" || given === "" ? null : given !== "" && Number.isFinite(Number(given)) ? Number(given) : given);
    },
  });
  return [text];
}

// ---------------------------------------------------------------------- export

function save(name, parts, type) {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

function takeAwayPanel(app) {
  const { model } = app;
  const copied = element("span", { role: "status", class: "rx-small" });
  const copy = (text) => navigator.clipboard?.writeText(text).then(() => { copied.textContent = "Copied."; }, () => { copied.textContent = "The browser does not allow copying: select the text and copy it."; });
  const code = (title, text) => element("div", {}, element("h3", {}, title), element("pre", { tabindex: "0" }, text),
    element("button", { type: "button", onclick: () => copy(text) }, "Copy"));
  const button = (text, act) => element("button", { type: "button", onclick: act }, text);
  const root = element("div", { class: "rx-take" });
  if (app.shownInstead) {
    root.append(element("p", { class: "rx-note" }, `Labels and picture are those of what is shown now (${app.shownInstead}). Python, command and model file are those of the model${app.line.isLive ? ": to export the other, keep it first" : ""}.`));
  }
  root.append(code("Python", model.python));
  if (model.command) root.append(code("Command", model.command));
  else if (model.is_kept_reading) root.append(element("h3", {}, "Command"), element("p", {}, "No options of resonart cluster give this reading. Export the model file: resonart predict labels rows with it."));
  root.append(element("h3", {}, "Files"), element("div", { class: "rx-buttons" },
    button("Labels (CSV)", () => app.saveLabels()),
    button("Model", () => app.saveModel()),
    button("Picture (PNG)", () => app.savePng()),
    button("Picture (SVG)", () => save("resonart.svg", [svgOf(app.plot)], "image/svg+xml"))), copied);
  return root;
}

// ---------------------------------------------------------------------- the diary

function diaryPanel(app) {
  const root = element("div", {});
  if (app.follows) {
    const pause = element("button", { type: "button", id: `${app.id}-pause`, class: "rx-pause", "aria-pressed": String(app.isPaused), disabled: app.hasEnded, onclick: () => app.pause(!app.isPaused) }, app.isPaused ? "Resume" : "Pause");
    const step = element("button", { type: "button", id: `${app.id}-step`, class: "rx-step", disabled: !app.isPaused || app.hasEnded, onclick: () => app.stepOn() }, "Step");
    root.append(element("div", { class: "rx-buttons" }, pause, step), element("p", { class: "rx-small" }, app.followed || ""));
  }
  const events = app.model.events;
  if (!events.length) root.append(element("p", {}, "No events yet. Here a DensityART reports when clusters are born, merge, split, move or die."));
  root.append(element("ol", { class: "rx-diary", "aria-label": "Events, the latest first" }, ...events.map((each) => element("li", {
    tabindex: "0", onclick: () => app.choose(each.label),
  }, markOf(each.label, app.theme), element("span", {}, each.text)))));
  return root;
}

// ---------------------------------------------------------------------- the table

const PAGE = 100;
const MOST_COLUMNS = 12;

// The rows in view or selected; without rows, the boxes.
function tablePanel(app) {
  return app.rows.numbers.length ? rowsTable(app) : boxesTable(app);
}

function rowsTable(app) {
  const { rows, plot } = app;
  const shown = plot.fenced ? [...plot.fenced].sort((a, b) => a - b) : plot.inView().filter((i) => plot.chosen === null || plot.labels[i] === plot.chosen);
  return pagedTable(app, shown, "row", plot.fenced ? "selected" : "in view", "Rows in the picture", ["row", "cluster"], (i, features) => element("tr", { "data-row": rows.numbers[i], onclick: () => app.point(i) },
    element("th", { scope: "row" }, rows.numbers[i].toLocaleString("en")),
    element("td", {}, markOf(plot.labels[i], app.theme), nameOf(plot.labels[i])),
    ...features.map((f) => element("td", {}, shortNumber(app.valueOf(i, f))))));
}

function boxesTable(app) {
  const { rows, plot } = app;
  const { lower, upper, labels, weights } = app.model.boxes;
  const shown = Array.from(labels.keys()).filter((b) => plot.chosen === null || labels[b] === plot.chosen);
  const span = (f) => (rows.high[f] > rows.low[f] ? rows.high[f] - rows.low[f] : 1);
  const value = (side, f) => rounded(rows.low[f] + side[f] * span(f));
  return pagedTable(app, shown, "box", "in the picture", "Boxes in the picture", ["box", "cluster", "rows"], (b, features) => element("tr", { onclick: () => app.choose(labels[b]) },
    element("th", { scope: "row" }, b.toLocaleString("en")),
    element("td", {}, markOf(labels[b], app.theme), nameOf(labels[b])),
    element("td", {}, rounded(weights[b])),
    ...features.map((f) => element("td", {}, `${value(lower[b], f)} to ${value(upper[b], f)}`))));
}

function pagedTable(app, shown, word, which, caption, columns, lineOf) {
  const names = app.rows.features.slice(0, MOST_COLUMNS);
  const first = Math.min(app.page * PAGE, Math.max(0, Math.floor((shown.length - 1) / PAGE) * PAGE));
  const last = Math.min(first + PAGE, shown.length);
  const head = element("tr", {}, ...[...columns, ...names].map((name) => element("th", { scope: "col" }, name)));
  const body = shown.slice(first, last).map((k) => lineOf(k, names.map((_, f) => f)));
  const turn = (by) => element("button", { type: "button", disabled: by < 0 ? first === 0 : last >= shown.length, onclick: () => { app.page = first / PAGE + by; app.refreshTable(); } }, by < 0 ? "Previous" : "Next");
  const words = { row: "rows", box: "boxes" }[word];
  const some = app.rows.features.length > names.length ? `; the first ${names.length} of ${app.rows.features.length} features` : "";
  const what = shown.length ? `${words} ${(first + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${shown.length.toLocaleString("en")} ${which}${some}` : `no ${words} ${which}`;
  return element("div", {}, element("div", { class: "rx-buttons" }, turn(-1), turn(1), element("span", { role: "status" }, what)),
    element("div", { class: "rx-scroll", tabindex: "0", role: "region", "aria-label": caption }, element("table", {}, element("caption", { class: "rx-hidden" }, caption), element("thead", {}, head), element("tbody", {}, ...body))));
}
