// The picture: rows and boxes that you can move, zoom, point at and select with a lasso.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

class Plot {
  constructor(events) {
    this.events = events; // hover(row), pick(row or null), lasso(rows), scroll()
    this.canvas = element("canvas", {
      class: "rx-canvas", tabindex: "0", role: "img", "aria-describedby": "rx-keys",
    });
    this.root = element("div", { class: "rx-plot" }, this.canvas);
    this.theme = "light";
    this.showsBoxes = false;
    this.tool = "pan";
    this.ownsWheel = true; // otherwise it zooms only with a key, because the page around it scrolls
    this.chosen = null; // the selected cluster
    this.hovered = -1;
    this.fenced = null; // rows inside the lasso
    this.faded = null; // rows drawn faint, for instance outside a sample
    this.fence = null;
    this.frames = 0;
    this.view = { x0: 0, y0: 0, xs: 1, ys: 1, width: 1, height: 1, ratio: 1 };
    this._drag = null;
    this._touches = new Map();
    this._pending = 0;
    this._listen();
    this._watch = new ResizeObserver(() => this._resize());
    this._watch.observe(this.root);
  }

  close() {
    this._watch.disconnect();
    cancelAnimationFrame(this._pending);
  }

  setRows(rows, axes) {
    this.rows = rows;
    this.setAxes(axes, false);
  }

  setModel(model) {
    this.boxes = model.boxes;
    this.boxLabels = model.boxes.labels;
    this._shadows = null;
    this.setLabels(model.labels, null);
  }

  setLabels(labels, faded = null, isOther = false) {
    this.labels = labels;
    this.isOther = isOther;
    this.faded = faded;
    this.draw();
  }

  setAxes(axes, keepsView) {
    this.axes = axes;
    this.places = axes.map((axis) => placesOf(this.rows, axis));
    this._shadows = null;
    this._base = null;
    if (!keepsView && this.boxes) this.fit();
    this.draw();
  }

  shadows() {
    if (!this._shadows) {
      const { lower, upper } = this.boxes;
      this._shadows = lower.map((low, b) => shadowOf(low, upper[b], this.axes[0], this.axes[1]));
    }
    return this._shadows;
  }

  // ------------------------------------------------------------------ the view

  fit() {
    const useBoxes = !this.rows.numbers.length || this.showsBoxes ? this.shadows() : [];
    const [xl, xh] = extentOf(this.places[0], useBoxes, 0);
    const [yl, yh] = extentOf(this.places[1], useBoxes, 1);
    const { width, height, ratio } = this.view;
    const edge = { left: 46 * ratio, right: 12 * ratio, top: 26 * ratio, bottom: 36 * ratio };
    this.view.xs = Math.max(width - edge.left - edge.right, 10) / (xh - xl);
    this.view.ys = -Math.max(height - edge.top - edge.bottom, 10) / (yh - yl);
    this.view.x0 = edge.left - xl * this.view.xs;
    this.view.y0 = edge.top - yh * this.view.ys;
    this._home = { xs: this.view.xs };
    this.draw();
  }

  zoom(factor, x = this.view.width / 2, y = this.view.height / 2) {
    const { view } = this;
    const now = this._home ? view.xs / this._home.xs : 1;
    const by = Math.min(Math.max(factor, 0.05 / now), 1e5 / now);
    view.x0 = x + (view.x0 - x) * by;
    view.y0 = y + (view.y0 - y) * by;
    view.xs *= by;
    view.ys *= by;
    this.draw();
  }

  pan(dx, dy) {
    this.view.x0 += dx;
    this.view.y0 += dy;
    this.draw();
  }

  _resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(this.root.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.root.clientHeight * ratio));
    const before = this.view;
    if (before.width === width && before.height === height) return;
    const isFirst = before.width <= 1;
    this.view = { ...before, width, height, ratio };
    this.canvas.width = width;
    this.canvas.height = height;
    this._image = null;
    if (!this.rows || !this.boxes) return;
    if (isFirst || !this._home) this.fit();
    else {
      const [fx, fy] = [width / before.width, height / before.height];
      Object.assign(this.view, { x0: before.x0 * fx, xs: before.xs * fx, y0: before.y0 * fy, ys: before.ys * fy });
      this._home.xs *= fx;
      this.draw();
    }
  }

  // ------------------------------------------------------------------ drawing

  draw() {
    if (!this._pending) this._pending = requestAnimationFrame(() => this._paint());
  }

  pointSize() {
    const n = this.labels.length;
    const size = n > 50000 ? 1 : n > 5000 ? 1.5 : n > 800 ? 2.2 : 3;
    const zoomed = this._home ? Math.log2(Math.max(this.view.xs / this._home.xs, 1)) : 0;
    return Math.min(size + zoomed * 0.5, 4) * this.view.ratio;
  }

  _paint() {
    this._pending = 0;
    if (!this.rows || !this.boxes || this.view.width <= 1) return;
    const { view, theme, canvas } = this;
    const context = canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (!this._image) this._image = new ImageData(view.width, view.height);
    const { chosen, fenced, faded } = this;
    const isDim = chosen === null && !fenced && !faded ? null : (i) => (
      (chosen !== null && this.labels[i] !== chosen) || (fenced !== null && !fenced.has(i)) || (faded !== null && faded[i])
    );
    const ticks = ticksForView(view, this.axes);
    paintRows(this._image, this.places, this.labels, view, {
      grid: { ...ticks, ratio: view.ratio }, theme, size: this.pointSize(), dimmed: isDim, alpha: this.labels.length > 20000 ? 0.55 : 0.75,
    });
    context.putImageData(this._image, 0, 0);
    paintAxes(context, view, this.axes, ticks, theme);
    if (this.hasBoxes()) {
      paintBoxes(context, this.shadows(), this.boxLabels, this.boxes.weights, view, theme, chosen);
    }
    this._paintFence(context);
    if (this.hovered >= 0 && this.hovered < this.labels.length) {
      context.strokeStyle = INK[theme].ink;
      context.lineWidth = 2 * view.ratio;
      context.beginPath();
      context.arc(...this.placeOf(this.hovered), this.pointSize() + 4 * view.ratio, 0, 7);
      context.stroke();
    }
    this.frames += 1;
  }

  // Boxes belong to the model: they are hidden while other clusters than the model's are shown.
  hasBoxes() {
    return (this.showsBoxes || this.chosen !== null) && !this.isOther;
  }

  _paintFence(context) {
    if (!this.fence || this.fence.length < 2) return;
    context.strokeStyle = INK[this.theme].ink;
    context.lineWidth = this.view.ratio;
    context.setLineDash([4 * this.view.ratio, 3 * this.view.ratio]);
    context.beginPath();
    this.fence.forEach(([x, y], i) => {
      const at = [this.view.x0 + x * this.view.xs, this.view.y0 + y * this.view.ys];
      if (i) context.lineTo(...at);
      else context.moveTo(...at);
    });
    context.closePath();
    context.stroke();
    context.setLineDash([]);
  }

  placeOf(row) {
    return [this.view.x0 + this.places[0][row] * this.view.xs, this.view.y0 + this.places[1][row] * this.view.ys];
  }

  // ------------------------------------------------------------------ pointing

  nearest(x, y, within = 9) {
    const { view } = this;
    const most = (within * view.ratio) ** 2;
    const [xs, ys] = this.places;
    let best = -1;
    let least = most;
    for (let i = 0; i < xs.length; i++) {
      const dx = view.x0 + xs[i] * view.xs - x;
      if (dx > least || -dx > least) continue;
      const dy = view.y0 + ys[i] * view.ys - y;
      const d = dx * dx + dy * dy;
      if (d <= least) {
        least = d;
        best = i;
      }
    }
    return best;
  }

  inView() {
    const { view } = this;
    const [xs, ys] = this.places;
    const found = [];
    for (let i = 0; i < xs.length; i++) {
      const x = view.x0 + xs[i] * view.xs;
      const y = view.y0 + ys[i] * view.ys;
      if (x >= 0 && y >= 0 && x < view.width && y < view.height) found.push(i);
    }
    return found;
  }

  hover(row) {
    if (row === this.hovered) return;
    this.hovered = row;
    this.draw();
    this.events.hover(row);
  }

  enclose(fence) {
    this.fence = fence;
    const [xs, ys] = this.places;
    const rows = [];
    if (fence && fence.length > 2) {
      for (let i = 0; i < xs.length; i++) if (isInside(fence, xs[i], ys[i])) rows.push(i);
    }
    this.fenced = rows.length ? new Set(rows) : null;
    if (!rows.length) this.fence = null;
    this.draw();
    this.events.lasso(rows);
  }

  _listen() {
    const { canvas } = this;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [((event.clientX - box.left) / box.width) * this.view.width, ((event.clientY - box.top) / box.height) * this.view.height];
    };
    const inPlot = ([x, y]) => [(x - this.view.x0) / this.view.xs, (y - this.view.y0) / this.view.ys];
    canvas.addEventListener("wheel", (event) => {
      if (!this.ownsWheel && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
        this.events.scroll();
        return; // the page scrolls
      }
      event.preventDefault();
      const turned = event.deltaY || event.deltaX; // with Shift it counts as sideways
      this.zoom(Math.exp(-turned * (event.deltaMode ? 0.05 : 0.0015)), ...at(event));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.focus({ preventScroll: true });
      try { canvas.setPointerCapture(event.pointerId); } catch { /* the pointer is gone already */ }
      this._touches.set(event.pointerId, at(event));
      const isLasso = this.tool === "lasso" || event.shiftKey;
      this._drag = { from: at(event), last: at(event), moved: false, isLasso };
      if (isLasso) this.fence = [inPlot(at(event))];
    });
    canvas.addEventListener("pointermove", (event) => {
      const now = at(event);
      if (this._touches.size === 2 && this._touches.has(event.pointerId)) {
        this._pinch(event.pointerId, now);
        return;
      }
      if (!this._drag) {
        this.hover(this.rows ? this.nearest(...now) : -1);
        return;
      }
      const { from, last, isLasso } = this._drag;
      if (Math.hypot(now[0] - from[0], now[1] - from[1]) > 4 * this.view.ratio) this._drag.moved = true;
      if (isLasso) {
        this.fence.push(inPlot(now));
        this.draw();
      } else if (this._drag.moved) this.pan(now[0] - last[0], now[1] - last[1]);
      this._drag.last = now;
    });
    const end = (event) => {
      this._touches.delete(event.pointerId);
      const drag = this._drag;
      this._drag = null;
      if (!drag || event.type === "pointercancel") return;
      if (drag.isLasso && drag.moved) this.enclose(this.fence);
      else if (!drag.moved) {
        this.fence = null;
        if (this.fenced) this.enclose(null);
        this.events.pick(this.nearest(...at(event)));
      }
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", () => { if (!this._drag) this.hover(-1); });
    canvas.addEventListener("dblclick", () => this.fit());
  }

  _pinch(id, now) {
    const [other] = [...this._touches].filter(([key]) => key !== id).map(([, place]) => place);
    const before = this._touches.get(id);
    const was = Math.hypot(before[0] - other[0], before[1] - other[1]) || 1;
    const is = Math.hypot(now[0] - other[0], now[1] - other[1]) || 1;
    this.zoom(is / was, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    this._touches.set(id, now);
    this._drag = null;
  }

  // Keys of the picture; where another control has the focus, Enter and Escape are its own.
  onKey(event, isElsewhere) {
    const step = 40 * this.view.ratio;
    const keys = {
      ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0),
      ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
      "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8),
      0: () => this.fit(), Home: () => this.fit(),
      n: () => this.hover(this.step(1)), p: () => this.hover(this.step(-1)),
      Enter: () => this.events.pick(this.hovered),
      Escape: () => { this.enclose(null); this.events.pick(-1); },
    };
    const act = keys[event.key];
    if (!act || (isElsewhere && /^E/.test(event.key))) return;
    event.preventDefault();
    act();
  }

  // The next or previous row in view, of the selected cluster if there is one.
  step(by) {
    const n = this.labels.length;
    const { view } = this;
    for (let k = 1; k <= n; k++) {
      const i = (((this.hovered < 0 && by < 0 ? 0 : this.hovered) + by * k) % n + n) % n;
      if (this.chosen !== null && this.labels[i] !== this.chosen) continue;
      const [x, y] = this.placeOf(i);
      if (x >= 0 && y >= 0 && x < view.width && y < view.height) return i;
    }
    return -1;
  }
}
