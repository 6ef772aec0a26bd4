// The explorer: picture, panels and the line to Python put together. One module for the browser,
// the notebook (anywidget) and the file.

let count = 0;
const REST = 40; // milliseconds of rest on a row before it is explained
const HINT = 1600; // milliseconds for which a hint is shown
const PATIENCE = 4000; // milliseconds until a page says that Python does not answer
const MOST_VALUES = 16; // values of a row that are shown with it

class App {
  // In a notebook the page around it has keys and a wheel of its own.
  constructor(root, line, isNotebook = false, still = "") {
    this.isNotebook = isNotebook;
    this.still = still; // a picture, PNG in base64
    this.id = `rx${count++}`;
    this.root = root;
    this.line = line;
    this.theme = themeOf(document.body);
    this.panel = "clusters";
    this.showsTable = false;
    this.page = 0;
    this.kept = new Map(); // answers that take long to compute
    this.reading = 0;
    this.pinned = false; // a cell of the plane stays shown
    this.shownInstead = null;
    this.changes = {};
    this.isFitting = false;
    this.isPaused = false;
    this.follows = false;
    this.began = performance.now();
  }

  async start() {
    this.root.classList.add("rx");
    this.root.resonart = this; // for tests and the console
    this.root.dataset.theme = this.theme;
    const wait = element("p", { class: "rx-wait", role: "status" }, "Loading …");
    const still = this.still ? element("img", { class: "rx-still", src: `data:image/png;base64,${this.still}`, alt: "A picture of the clusters" }) : null;
    this.root.replaceChildren(...[still, wait].filter(Boolean));
    const absent = "Python does not answer. To explore, run the cell in a notebook.";
    const timer = setTimeout(() => { wait.textContent = still ? `This is a picture: ${absent}` : absent; }, PATIENCE);
    this.line.onEnd = () => this.say("The connection to Python is closed. The page stays as it is; run resonart explore again to go on.", true);
    try {
      const told = await this.line.ask("open");
      this.build();
      this.take(told);
      this.line.onPush = (message) => this.hear(message); // what came before is in the scene already
      this.root.dataset.ready = "true";
      requestAnimationFrame(() => requestAnimationFrame(() => { this.root.dataset.painted = Math.round(performance.now() - this.began); }));
    } catch (error) {
      wait.replaceWith(element("p", { class: "rx-error", role: "alert" }, error.message));
    }
    clearTimeout(timer);
    return this;
  }

  close() {
    this.plot?.close();
    clearTimeout(this.hintTimer);
    this.line.close?.();
  }

  // ------------------------------------------------------------------ layout

  build() {
    this.plot = new Plot({
      hover: (row) => this.onHover(row),
      pick: (row) => this.onPick(row),
      lasso: (rows) => this.onLasso(rows),
      scroll: () => this.showHint(),
    });
    this.plot.ownsWheel = !this.isNotebook;
    this.plot.theme = this.theme;
    this.title = element("h1", {});
    this.summary = element("p", { class: "rx-summary" });
    this.notes = element("p", { class: "rx-note", role: "status" });
    this.status = element("p", { class: "rx-status", role: "status", "aria-live": "polite" });
    this.tip = element("div", { class: "rx-tip", role: "tooltip", hidden: true });
    this.banner = element("div", { class: "rx-banner", hidden: true });
    this.hint = element("div", { class: "rx-hint", hidden: true }, "Hold Ctrl or Shift and turn the wheel to zoom");
    this.rulesBox = element("div", { class: "rx-rules", role: "region", "aria-label": "What is in the cluster", "aria-live": "polite" });
    this.xAxis = element("select", { "aria-label": "Horizontal axis", onchange: () => this.setAxes() });
    this.yAxis = element("select", { "aria-label": "Vertical axis", onchange: () => this.setAxes() });
    this.boxesButton = this.toggle("Boxes", "b", () => { this.plot.showsBoxes = !this.plot.showsBoxes; this.plot.draw(); return this.plot.showsBoxes; });
    this.lassoButton = this.toggle("Lasso", "l", () => { this.plot.tool = this.plot.tool === "lasso" ? "pan" : "lasso"; return this.plot.tool === "lasso"; });
    this.tableButton = this.toggle("Table", "t", () => { this.showsTable = !this.showsTable; this.refreshTable(); return this.showsTable; });
    this.themeButton = this.toggle("Dark", "d", () => { this.setTheme(this.theme === "dark" ? "light" : "dark"); return this.theme === "dark"; });
    this.themeButton.setAttribute("aria-pressed", String(this.theme === "dark"));
    this.fence = element("div", { class: "rx-fence", hidden: true });
    const fit = element("button", { type: "button", title: "Key: 0", onclick: () => this.plot.fit() }, "Show all");
    const tools = element("div", { class: "rx-tools", role: "toolbar", "aria-label": "Picture" },
      element("label", {}, "x ", this.xAxis), element("label", {}, "y ", this.yAxis),
      this.boxesButton, this.lassoButton, fit, this.tableButton, this.themeButton);
    this.tabs = element("div", { class: "rx-tabs", role: "tablist", "aria-label": "Panels" });
    this.side = element("div", { class: "rx-panel", role: "tabpanel", tabindex: "0", id: `${this.id}-panel`, "aria-label": "Panel" });
    this.table = element("section", { class: "rx-table", "aria-label": "Table", hidden: true });
    const keys = "Keys: arrows move, + and - zoom, 0 shows all, n and p step through the rows, Enter selects the row's cluster, Escape clears the selection, b boxes, l lasso, t table, d dark." + (this.isNotebook ? " They work once the picture has been clicked. The wheel zooms while Ctrl or Shift is held." : "");
    const offline = "This is a saved page: parameters are read-only. Looking, comparing and exporting work without Python.";
    this.plot.root.append(this.tip, this.banner, this.hint);
    this.plot.canvas.setAttribute("aria-describedby", `${this.id}-keys`);
    this.root.replaceChildren(
      element("header", {}, this.title, this.summary, this.line.isLive ? null : element("p", { class: "rx-small rx-offline" }, offline), this.notes),
      tools,
      element("div", { class: "rx-main" },
        element("div", { class: "rx-left" }, this.plot.root, this.fence, this.status),
        element("aside", { class: "rx-side" }, this.tabs, this.side)),
      this.table,
      element("p", { class: "rx-small", id: `${this.id}-keys` }, keys),
    );
    // On a page of our own, keys need no focus.
    (this.isNotebook ? this.root : document).addEventListener("keydown", (event) => this.onKey(event));
  }

  onKey(event) {
    const { target, key } = event;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.type !== "checkbox";
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const button = { b: this.boxesButton, l: this.lassoButton, t: this.tableButton, d: this.themeButton }[key];
    if (button) button.click();
    const hasKeys = [this.tabs, this.side, this.table].some((part) => part.contains(target));
    const isElsewhere = target !== this.plot.canvas && this.root.contains(target);
    if (!hasKeys) this.plot.onKey(event, isElsewhere);
    if (key === "Escape" && isElsewhere && this.plot.chosen !== null) this.choose(null);
  }

  showHint() {
    this.hint.hidden = false;
    clearTimeout(this.hintTimer);
    this.hintTimer = setTimeout(() => { this.hint.hidden = true; }, HINT);
  }

  toggle(text, key, act) {
    const button = element("button", { type: "button", "aria-pressed": "false", title: `Key: ${key}`, "aria-keyshortcuts": key }, text);
    button.addEventListener("click", () => button.setAttribute("aria-pressed", String(act())));
    return button;
  }

  setTheme(theme) {
    this.theme = theme;
    this.root.dataset.theme = theme;
    this.plot.theme = theme;
    this.plot.draw();
    this.refresh();
  }

  // ------------------------------------------------------------------ what Python sends

  take(told) {
    const isFirst = !this.rows;
    if (told.followed !== undefined) {
      if (isFirst) this.panel = "diary";
      this.follows = true;
      this.followed = told.followed;
      this.isPaused = Boolean(told.paused);
      this.hasEnded = Boolean(told.ended);
    }
    const moved = !isFirst && String([this.rows.low, this.rows.high]) !== String([told.rows.low, told.rows.high]);
    const names = isFirst ? null : this.rows.features.join("\n");
    this.rows = told.rows;
    this.axes = axesOf(told.rows);
    if (isFirst || names !== told.rows.features.join("\n")) {
      for (const [select, which] of [[this.xAxis, 0], [this.yAxis, 1]]) {
        select.replaceChildren(...this.axes.map((axis, k) => element("option", { value: k }, clipped(axis.name, 40))));
        select.value = String(Math.min(firstAxis(told.rows) + which, this.axes.length - 1));
      }
    } else {
      for (const select of [this.xAxis, this.yAxis]) {
        this.axes.forEach((axis, k) => { if (select.options[k]) select.options[k].textContent = clipped(axis.name, 40); });
      }
    }
    this.plot.boxes = told.model.boxes;
    this.plot.boxLabels = told.model.boxes.labels;
    this.plot.labels = told.model.labels;
    this.plot.rows = told.rows;
    this.plot.setAxes(this.chosenAxes(), !isFirst && !moved);
    this.takeModel(told.model);
    if (isFirst) {
      if (!told.rows.numbers.length) this.boxesButton.click();
      requestAnimationFrame(() => this.plot.fit());
    }
  }

  takeModel(model) {
    this.model = model;
    this.kept.delete("readings");
    this.reading = 0;
    this.pinned = false;
    this.shownInstead = null;
    this.explained = new Map();
    const labels = new Set([...model.clusters.map((each) => each.label), -1]);
    if (this.plot.chosen !== null && !labels.has(this.plot.chosen)) this.plot.chosen = null;
    if (this.plot.hovered >= model.labels.length) this.plot.hovered = -1;
    this.plot.setModel(model);
    this.title.textContent = model.title;
    this.summary.textContent = model.summary + (model.agreement === null ? "" : `; adjusted Rand index with the known classes ${model.agreement.toFixed(3)}`);
    const few = model.boxes.n_all > model.boxes.labels.length ? `Only the ${model.boxes.labels.length.toLocaleString("en")} boxes with the most rows are drawn, of ${model.boxes.n_all.toLocaleString("en")}.` : null;
    this.notes.textContent = [this.rows.note, model.note, few].filter(Boolean).join(" ");
    this.banner.hidden = true;
    this.plot.canvas.setAttribute("aria-label", `Plot of ${model.summary}.`);
    this.refresh();
    if (this.plot.chosen !== null) this.choose(this.plot.chosen);
  }

  hear(message) {
    if (message.kind === "scene") this.take(message);
    else if (message.kind === "model") this.takeModel(message.model);
    else if (message.kind === "followed") {
      this.follows = true;
      this.followed = message.followed;
      this.isPaused = Boolean(message.paused);
      this.hasEnded = Boolean(message.ended);
      if (this.panel === "diary") this.refresh();
    }
  }

  chosenAxes() {
    return [this.axes[Number(this.xAxis.value)], this.axes[Number(this.yAxis.value)]];
  }

  setAxes() {
    this.plot.enclose(null);
    this.plot.setAxes(this.chosenAxes(), false);
    this.refreshTable();
    if (this.panel === "choice") this.refresh();
  }

  valueOf(row, feature) {
    const told = this.explained?.get(row);
    if (told) return told.values[feature];
    const { low, high, values } = this.rows;
    const span = high[feature] > low[feature] ? high[feature] - low[feature] : 1;
    return Number((low[feature] + values[feature][row] * span).toPrecision(6));
  }

  // ------------------------------------------------------------------ panels

  refresh() {
    const panels = { clusters: ["Clusters", clustersPanel], choice: ["Choice", choicePanel], parameters: ["Parameters", parametersPanel], diary: ["Diary", diaryPanel], take: ["Export", takeAwayPanel] };
    if (!this.model) return;
    if (!this.model.events.length && !this.follows) delete panels.diary;
    const names = Object.keys(panels);
    if (!panels[this.panel]) this.panel = "clusters";
    this.tabs.replaceChildren(...names.map((name) => element("button", {
      type: "button", role: "tab", "aria-controls": `${this.id}-panel`, "data-panel": name, "aria-selected": String(name === this.panel), tabindex: name === this.panel ? "0" : "-1",
      onclick: () => this.open(name),
      onkeydown: (event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (by) this.open(names[(names.indexOf(this.panel) + by + names.length) % names.length], true);
      },
    }, panels[name][0])));
    const active = this.root.getRootNode().activeElement; // a notebook may show it in a shadow tree
    const focused = this.side.contains(active) ? focusOf(active) : null;
    this.scrolled = this.shownPanel === this.panel ? this.side.scrollTop : 0;
    this.shownPanel = this.panel;
    this.side.replaceChildren(panels[this.panel][1](this));
    this.side.scrollTop = this.scrolled;
    if (focused) this.side.querySelector(focused)?.focus();
    this.refocus = focused; // for content that comes later
    this.refreshTable();
  }

  open(name, focuses = false) {
    this.panel = name;
    this.showPartition(null);
    this.refresh();
    if (focuses) this.tabs.querySelector('[aria-selected="true"]').focus();
  }

  refreshTable() {
    this.table.hidden = !this.showsTable;
    if (this.showsTable) this.table.replaceChildren(tablePanel(this));
  }

  askOnce(kind) {
    if (!this.kept.has(kind)) {
      const asked = this.line.ask(kind);
      asked.catch(() => this.kept.delete(kind));
      this.kept.set(kind, asked);
    }
    return this.kept.get(kind);
  }

  say(text, isBad = false) {
    if (!this.status) return;
    this.status.textContent = text;
    this.status.classList.toggle("rx-error", isBad);
  }

  // ------------------------------------------------------------------ rows

  async onHover(row) {
    this.tip.hidden = row < 0;
    if (row < 0) return;
    const label = this.plot.labels[row];
    const number = this.rows.numbers[row];
    const title = `row ${number.toLocaleString("en")}: ${nameOf(label)}`;
    this.tip.replaceChildren(element("strong", {}, title), this.valuesOf(row));
    this.placeTip(row);
    this.say(title);
    await new Promise((rested) => setTimeout(rested, REST));
    if (this.plot.hovered !== row) return; // the mouse only passed over it
    try {
      const told = await this.explain(row);
      if (this.plot.hovered !== row) return;
      this.tip.replaceChildren(element("div", { class: "rx-small" }, `row ${number.toLocaleString("en")}`), this.valuesOf(row, told.texts), lines(told.lines, "rx-lines"));
      this.placeTip(row);
      this.say(`${title}. ${told.lines.join(" ")}`);
    } catch (error) {
      if (this.plot.hovered === row) this.tip.replaceChildren(element("strong", {}, title), this.valuesOf(row), lines([error.message], "rx-lines"));
    }
  }

  // What the table says about a row: its texts, and its values.
  valuesOf(row, texts = []) {
    const pairs = (told) => told.flatMap(([name, value]) => [element("dt", {}, clipped(name, 40)), element("dd", {}, value)]);
    const names = this.rows.features.slice(0, MOST_VALUES);
    const values = names.map((name, f) => [name, shortNumber(this.valueOf(row, f))]);
    const left = this.rows.features.length - names.length;
    return element("div", { class: "rx-values" },
      texts?.length ? element("dl", {}, ...pairs(texts)) : null,
      element("dl", { class: values.length > 4 ? "rx-twice" : "" }, ...pairs(values)),
      left > 0 ? element("div", { class: "rx-small" }, `and ${countOf(left, "other feature")}`) : null);
  }

  async explain(row) {
    if (!this.explained.has(row)) {
      const { explained } = this;
      try {
        explained.set(row, await this.line.ask("explain", { row }));
      } catch (error) {
        if (this.line.isLive) throw error;
        return { lines: this.fromBoxes(row), texts: this.line.textsOf(row) };
      }
    }
    return this.explained.get(row);
  }

  // In a file, for rows without an explanation: where the row lies relative to the boxes.
  fromBoxes(row) {
    const label = this.plot.labels[row];
    if (label < 0) return ["in no cluster"];
    const { boxes } = this.model;
    let best = -1;
    let least = Infinity;
    for (let b = 0; b < boxes.labels.length; b++) {
      if (boxes.labels[b] !== label) continue;
      let distance = 0;
      for (let f = 0; f < this.rows.values.length; f++) {
        const v = this.rows.values[f][row];
        distance += Math.max(boxes.lower[b][f] - v, v - boxes.upper[b][f], 0);
      }
      if (distance < least) [least, best] = [distance, b];
    }
    if (best < 0) return [];
    const outside = [];
    for (let f = 0; f < this.rows.values.length; f++) {
      const v = this.rows.values[f][row];
      const gap = Math.max(boxes.lower[best][f] - v, v - boxes.upper[best][f]);
      if (gap > 1e-6) outside.push(`${this.rows.features[f]} = ${shortNumber(this.valueOf(row, f))}: outside by ${(100 * gap).toFixed(1)} % of the range`);
    }
    return outside.length ? ["outside the boxes of its cluster; compared with the nearest:", ...outside.slice(0, 6)] : ["inside a box of its cluster"];
  }

  // Beside the row, and within what can be seen of the page.
  placeTip(row) {
    const { view } = this.plot;
    const [x, y] = this.plot.placeOf(row).map((at) => at / view.ratio);
    const box = this.plot.root.getBoundingClientRect();
    const isRight = x > box.width / 2;
    this.tip.style.left = isRight ? "" : `${x + 14}px`;
    this.tip.style.right = isRight ? `${box.width - x + 14}px` : "";
    const { offsetHeight: height } = this.tip;
    const top = y > box.height / 2 ? y - 10 - height : y + 10;
    const lowest = window.innerHeight - box.top - height - 4;
    this.tip.style.top = `${Math.max(Math.min(top, lowest), 4 - box.top)}px`;
  }

  point(row) {
    this.plot.hover(row);
    this.plot.canvas.focus();
  }

  onPick(row) {
    this.choose(row < 0 ? null : this.plot.labels[row]);
  }

  async choose(label) {
    this.plot.chosen = label;
    this.plot.draw();
    for (const item of this.side.querySelectorAll("[data-label]")) {
      item.setAttribute("aria-selected", String(Number(item.dataset.label) === label));
    }
    if (this.panel !== "clusters" && label !== null && this.panel !== "diary") this.panel = "clusters";
    this.refresh();
    this.rulesBox.replaceChildren();
    if (label === null) return;
    if (label < 0) {
      this.rulesBox.replaceChildren(lines(["noise: rows in no cluster"], "rx-lines"));
      return;
    }
    try {
      const told = await this.line.ask("rules", { label });
      if (this.plot.chosen === label) this.rulesBox.replaceChildren(lines(told.lines, "rx-lines"));
    } catch (error) {
      if (this.plot.chosen === label) this.rulesBox.replaceChildren(lines([error.message], "rx-lines"));
    }
  }

  onLasso(rows) {
    this.fence.hidden = !rows.length;
    this.page = 0;
    this.refreshTable();
    if (!rows.length) return;
    const counts = new Map();
    rows.forEach((i) => counts.set(this.plot.labels[i], (counts.get(this.plot.labels[i]) || 0) + 1));
    const parts = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 6).map(([label, n]) => `${nameOf(label)}: ${n.toLocaleString("en")}`);
    this.fence.replaceChildren(
      element("span", {}, `${rows.length.toLocaleString("en")} rows selected (${parts.join(", ")})`),
      element("button", { type: "button", onclick: () => this.saveRows(rows) }, "Export rows (CSV)"),
      element("button", { type: "button", onclick: () => this.plot.enclose(null) }, "Clear selection"));
  }

  // ------------------------------------------------------------------ alternatives

  showReading(k, told) {
    this.reading = k;
    this.plot.setLabels(k === 0 ? this.model.labels : readingLabels(told, k), null, k > 0);
    const keep = k > 0 && this.line.isLive && told.readings[k].can_be_kept ? () => this.keepReading(k, told) : null;
    this.showBanner(k === 0 ? null : `runner-up ${k}: ${countOf(told.readings[k].n_clusters, "cluster")}`, keep);
    this.refresh();
  }

  // Parameters are fitted where there are any: so there is a command for them, too.
  async keepReading(k, told) {
    const { params } = told.readings[k];
    if (params) {
      this.fit(params);
      return;
    }
    this.say("Reading …");
    try {
      this.takeModel((await this.line.ask("reading", { reading: k })).model);
      this.say(this.model.summary);
    } catch (error) {
      this.say(error.message, true);
    }
  }

  showPartition(told, cell) {
    if (!told) {
      if (!this.reading && !this.pinned && this.model && this.plot.labels !== this.model.labels) {
        this.plot.setLabels(this.model.labels);
        this.showBanner(null);
      }
      return;
    }
    const partition = told.labels[told.partition[cell]];
    if (!partition) return;
    const labels = new Int32Array(this.model.labels.length).fill(-1);
    const faded = new Uint8Array(labels.length).fill(1);
    const names = namesAsBefore(partition, told.rows, this.model.labels);
    told.rows.forEach((row, i) => { labels[row] = names.get(partition[i]); faded[row] = 0; });
    this.plot.setLabels(labels, told.rows.length < labels.length ? faded : null, true);
    this.showBanner(told.names.map((name, i) => `${name} ${Number(told.cells[i][cell].toFixed(10))}`).join(", "));
  }

  // What is shown instead of the model; `keep` makes it the model.
  showBanner(text, keep = null) {
    this.shownInstead = text;
    this.banner.hidden = !text;
    if (!text) return;
    const back = () => {
      this.reading = 0;
      this.pinned = false;
      this.showPartition(null);
      this.refresh();
    };
    this.banner.replaceChildren(element("span", {}, `Shown: ${text}`),
      ...(keep ? [element("button", { type: "button", class: "rx-keep", onclick: keep }, "Keep")] : []),
      element("button", { type: "button", onclick: back }, "Back to the model"));
  }

  // ------------------------------------------------------------------ parameters

  change(name, value) {
    this.changes[name] = value;
    if (!this.isFitting) this.fit({}, false, true);
  }

  async fit(params, all = false, isLive = false) {
    Object.assign(this.changes, params);
    if (this.isFitting) return;
    this.isFitting = true;
    this.say("Fitting …");
    const began = performance.now();
    try {
      do {
        const given = this.changes;
        this.changes = {};
        let told = await this.line.ask("fit", { params: given, all, quick: isLive });
        this.takeModel(told.model);
        this.root.dataset.fitted = Math.round(performance.now() - began);
        if (told.model.is_quick && !Object.keys(this.changes).length) {
          told = await this.line.ask("fit", { params: {}, all });
          this.takeModel(told.model);
        }
      } while (Object.keys(this.changes).length);
      this.say(this.model.summary);
    } catch (error) {
      this.say(error.message, true);
      this.refresh();
    } finally {
      this.isFitting = false;
    }
  }

  // ------------------------------------------------------------------ following

  async pause(isPaused) {
    const told = await this.line.ask("control", { paused: isPaused });
    this.hear(told);
  }

  async stepOn() {
    this.hear(await this.line.ask("control", { step: true }));
  }

  // ------------------------------------------------------------------ export

  async saveLabels() {
    const parts = ["row,label\n"];
    try {
      if (this.plot.labels === this.model.labels && this.model.is_sample) {
        (await this.line.ask("labels")).labels.forEach((label, i) => parts.push(`${i},${label}\n`));
      } else this.plot.labels.forEach((label, i) => parts.push(`${this.rows.numbers[i]},${label}\n`));
      save("labels.csv", parts, "text/csv");
    } catch (error) {
      this.say(error.message, true);
    }
  }

  saveRows(rows) {
    const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
    const { features } = this.rows;
    const parts = [["row", "label", ...features].map(quoted).join(",") + "\n"];
    for (const i of rows) {
      parts.push([this.rows.numbers[i], this.plot.labels[i], ...features.map((_, f) => this.valueOf(i, f))].join(",") + "\n");
    }
    save("rows.csv", parts, "text/csv");
  }

  async saveModel() {
    try {
      const told = await this.line.ask("keep");
      save(told.name, [told.content], "application/octet-stream");
    } catch (error) {
      this.say(error.message, true);
    }
  }

  savePng() {
    this.plot.canvas.toBlob((blob) => save("resonart.png", [blob], "image/png"), "image/png");
  }
}

// The theme of a notebook where there is one, else that of the computer.
function themeOf(body) {
  const { jpThemeLight, theme, vscodeThemeKind } = body.dataset;
  const known = [jpThemeLight && (jpThemeLight === "false" ? "dark" : "light"), theme, vscodeThemeKind, document.documentElement.getAttribute("theme")];
  const told = known.find(Boolean);
  if (told) return told.includes("dark") ? "dark" : "light";
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

// A selector to find the focused element again after its panel was drawn again.
function focusOf(active) {
  if (active.id) return `#${CSS.escape(active.id)}`;
  const name = ["label", "reading"].find((key) => active.dataset[key] !== undefined);
  return name ? `[data-${name}="${CSS.escape(active.dataset[name])}"]` : null;
}

// New numbers for a partition's clusters: those of the model's clusters with which they share most
// rows, so that colours stay the same; other clusters get new numbers.
function namesAsBefore(partition, rows, before) {
  const shared = new Map();
  partition.forEach((label, i) => {
    const key = `${label},${before[rows[i]]}`;
    shared.set(key, (shared.get(key) || 0) + 1);
  });
  const names = new Map([[-1, -1]]);
  const taken = new Set([-1]);
  for (const [key] of [...shared].sort((a, b) => b[1] - a[1])) {
    const [label, old] = key.split(",").map(Number);
    if (names.has(label) || taken.has(old)) continue;
    names.set(label, old);
    taken.add(old);
  }
  let free = 0;
  for (const label of new Set(partition)) {
    if (names.has(label)) continue;
    while (taken.has(free)) free += 1;
    names.set(label, free);
    taken.add(free);
  }
  return names;
}

// The page of resonart explore.
export function openPage(root) {
  const address = new URL("socket", window.location.href);
  address.protocol = "ws:";
  return new App(root, lineOfSocket(address.href)).start();
}

// A file that contains everything.
export async function openFile(root, content) {
  root.classList.add("rx");
  try {
    return await new App(root, new FileLine(await unpacked(content.textContent))).start();
  } catch (error) {
    root.textContent = `This file cannot be shown: ${error.message}`;
    return null;
  }
}

// A notebook.
function initialize() {}

function render({ model, el }) {
  // A notebook would take keys for its own: b for a new cell, for instance. (The attribute is for
  // versions of JupyterLab that listen before the page does.)
  const root = element("div", {
    class: "rx-notebook", "data-lm-suppress-shortcuts": "true",
    onkeydown: (event) => { if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation(); },
  });
  el.append(root);
  const app = new App(root, lineOfWidget(model), true, model.get("still") || "");
  app.start();
  return () => app.close();
}

export default { initialize, render };
