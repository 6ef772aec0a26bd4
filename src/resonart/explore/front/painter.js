// Drawing: rows pixel by pixel, the rest as lines; and everything as SVG, too.

// Stamps of the marks: which pixels around a row are painted.
function stampOf(mark, size) {
  const half = Math.max(1, size);
  const found = [];
  for (let y = -Math.ceil(half); y <= Math.ceil(half); y++) {
    for (let x = -Math.ceil(half); x <= Math.ceil(half); x++) {
      const r = Math.hypot(x, y);
      const painted = {
        circle: r <= half + 0.2,
        triangle: y >= -half && y <= half && Math.abs(x) <= (y + half) * 0.6 + 0.2,
        square: Math.abs(x) <= half * 0.9 && Math.abs(y) <= half * 0.9,
        diamond: Math.abs(x) + Math.abs(y) <= half * 1.25,
        cross: (Math.abs(x) <= half * 0.34 && Math.abs(y) <= half) || (Math.abs(y) <= half * 0.34 && Math.abs(x) <= half),
        ring: r <= half + 0.4 && r >= half - 0.9,
      }[mark];
      if (painted) found.push([x, y]);
    }
  }
  return found;
}

// Rows as pixels: the same everywhere, and fast without a graphics card. `view` says where 0 and 1 of
// the axes are in the picture.
function paintRows(image, places, labels, view, options) {
  const { width, height, data } = image;
  const [red, green, blue] = channels(INK[options.theme].ground);
  new Uint32Array(data.buffer).fill(new Uint32Array(Uint8Array.of(red, green, blue, 255).buffer)[0]);
  if (options.grid) paintGrid(image, options.grid, options.theme);
  const { theme, size, dimmed, alpha } = options;
  const [xs, ys] = places;
  const n = xs.length;
  const looks = new Map();
  const lookup = (label) => {
    let look = looks.get(label);
    if (!look) {
      const { colour, mark } = lookOf(label, theme);
      const stamp = stampOf(mark, size);
      const [r, g, b] = channels(colour);
      const strength = Math.round(256 * (label < 0 ? alpha * 0.6 : alpha));
      look = {
        r, g, b, alpha: strength, dim: strength >> 3,
        offsets: Int32Array.from(stamp, ([dx, dy]) => (dy * width + dx) * 4),
      };
      looks.set(label, look);
    }
    return look;
  };
  const margin = Math.ceil(size) + 1;
  let last = NaN;
  let look = null;
  for (let pass = 0; pass < (dimmed ? 2 : 1); pass++) {
    for (let i = 0; i < n; i++) {
      const isDim = dimmed ? dimmed(i) : false;
      if (dimmed && isDim !== (pass === 0)) continue; // highlighted rows come on top
      const x = (view.x0 + xs[i] * view.xs) | 0;
      const y = (view.y0 + ys[i] * view.ys) | 0;
      if (x < margin || y < margin || x >= width - margin || y >= height - margin) continue;
      const label = labels[i];
      if (label !== last) {
        look = lookup(label);
        last = label;
      }
      const a = isDim ? look.dim : look.alpha; // of 256
      const { r, g, b, offsets } = look;
      const at = (y * width + x) * 4;
      for (let k = 0; k < offsets.length; k++) {
        const p = at + offsets[k];
        data[p] += ((r - data[p]) * a) >> 8;
        data[p + 1] += ((g - data[p + 1]) * a) >> 8;
        data[p + 2] += ((b - data[p + 2]) * a) >> 8;
      }
    }
  }
}

// Lines at the ticks, below the rows.
function paintGrid(image, { x, y, ratio }, theme) {
  const { width, height, data } = image;
  const [red, green, blue] = channels(INK[theme].grid);
  const pixels = new Uint32Array(data.buffer);
  const colour = new Uint32Array(Uint8Array.of(red, green, blue, 255).buffer)[0];
  const wide = Math.max(1, Math.round(ratio));
  for (let k = 0; k < wide; k++) {
    for (const { at } of x) {
      for (let p = Math.round(at) + k; p < pixels.length; p += width) pixels[p] = colour;
    }
    for (const { at } of y) {
      const line = Math.round(at) + k;
      if (line < height) pixels.fill(colour, line * width, (line + 1) * width);
    }
  }
}

// Boxes being forgotten fade: below the weight of one row, the less is left, the fainter.
function strengthOf(weight) {
  return weight >= 1 ? 1 : 0.12 + 0.88 * Math.max(weight, 0);
}

function paintBoxes(context, shadows, labels, weights, view, theme, chosen) {
  const small = 4 * view.ratio;
  context.lineWidth = view.ratio;
  for (let b = 0; b < shadows.length; b++) {
    if (chosen !== null && labels[b] !== chosen) continue;
    const { colour, dash } = lookOf(labels[b], theme);
    const corners = shadows[b].map(([x, y]) => [view.x0 + x * view.xs, view.y0 + y * view.ys]);
    const xs = corners.map((c) => c[0]);
    const ys = corners.map((c) => c[1]);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    if (right < 0 || bottom < 0 || left > view.width || top > view.height) continue;
    const strength = strengthOf(weights[b]);
    context.globalAlpha = strength;
    context.strokeStyle = colour;
    context.setLineDash(dash.map((d) => d * view.ratio));
    if (right - left < small && bottom - top < small) { // too small to be seen as a box
      context.setLineDash([]);
      context.strokeRect((left + right - small) / 2, (top + bottom - small) / 2, small, small);
      continue;
    }
    context.beginPath();
    corners.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.closePath();
    context.globalAlpha = 0.14 * strength;
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = strength;
    context.stroke();
  }
  context.globalAlpha = 1;
  context.setLineDash([]);
}

const INK = { light: { ink: "#333333", faint: "#E3E3E3", grid: "#EEEEEE", ground: "#FFFFFF" }, dark: { ink: "#D6D6D6", faint: "#363A41", grid: "#292C32", ground: "#16181C" } };

function paintAxes(context, view, axes, ticks, theme) {
  const { ratio, width, height } = view;
  context.font = `${11 * ratio}px system-ui, sans-serif`;
  context.fillStyle = INK[theme].ink;
  const [x, y] = axes;
  context.textAlign = "center";
  context.textBaseline = "bottom";
  for (const { at, text } of ticks.x) context.fillText(text, at, height - 3 * ratio);
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const { at, text } of ticks.y) context.fillText(text, 4 * ratio, at - 7 * ratio);
  context.font = `600 ${12 * ratio}px system-ui, sans-serif`;
  context.textAlign = "right";
  context.textBaseline = "bottom";
  context.fillText(clipped(x.name), width - 8 * ratio, height - 18 * ratio);
  context.textAlign = "left";
  context.textBaseline = "top";
  context.fillText(clipped(y.name), 6 * ratio, 6 * ratio);
}

function ticksForView(view, axes) {
  const { ratio, width, height } = view;
  const xFrom = -view.x0 / view.xs;
  const xTo = (width - view.x0) / view.xs;
  const yFrom = (height - view.y0) / view.ys;
  const yTo = -view.y0 / view.ys;
  const x = ticksOf(axes[0], xFrom, xTo, width / ratio / 90)
    .map((tick) => ({ ...tick, at: view.x0 + tick.at * view.xs }))
    .filter(({ at }) => at > 45 * ratio && at < width - 20 * ratio);
  const y = ticksOf(axes[1], yFrom, yTo, height / ratio / 60)
    .map((tick) => ({ ...tick, at: view.y0 + tick.at * view.ys }))
    .filter(({ at }) => at > 34 * ratio && at < height - 24 * ratio);
  return { x, y };
}

function clipped(text, most = 60) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

// The picture as SVG. With more rows than this only some are drawn, and the picture says so.
const MOST_IN_SVG = 50000;

function svgOf(plot) {
  const { view, theme } = plot;
  const colours = INK[theme];
  const r = view.ratio;
  const [width, height] = [view.width / r, view.height / r];
  const escape = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "");
  const f = (value) => (value / r).toFixed(2);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="${colours.ground}"/>`,
  ];
  const ticks = ticksForView(view, plot.axes);
  for (const { at, text } of ticks.x) {
    parts.push(`<path d="M${f(at)} 0V${height}" stroke="${colours.grid}"/><text x="${f(at)}" y="${height - 4}" text-anchor="middle" fill="${colours.ink}">${escape(text)}</text>`);
  }
  for (const { at, text } of ticks.y) {
    parts.push(`<path d="M0 ${f(at)}H${width}" stroke="${colours.grid}"/><text x="4" y="${f(at - 4 * r)}" fill="${colours.ink}">${escape(text)}</text>`);
  }
  const [xs, ys] = plot.places;
  const stride = Math.max(1, Math.ceil(xs.length / MOST_IN_SVG));
  const size = plot.pointSize() / r;
  const groups = new Map();
  for (let i = 0; i < xs.length; i += stride) {
    const x = view.x0 + xs[i] * view.xs;
    const y = view.y0 + ys[i] * view.ys;
    if (x < 0 || y < 0 || x > view.width || y > view.height) continue;
    const label = plot.labels[i];
    if (!groups.has(label)) groups.set(label, []);
    groups.get(label).push(markPath(lookOf(label, theme).mark, x / r, y / r, size));
  }
  for (const [label, marks] of groups) {
    const { colour, mark } = lookOf(label, theme);
    const paint = mark === "ring" ? `fill="none" stroke="${colour}"` : `fill="${colour}"`;
    parts.push(`<path ${paint} fill-opacity="${label < 0 ? 0.45 : 0.75}" d="${marks.join("")}"><title>${nameOf(label)}</title></path>`);
  }
  if (plot.hasBoxes()) {
    plot.shadows().forEach((corners, b) => {
      const label = plot.boxLabels[b];
      if (plot.chosen !== null && label !== plot.chosen) return;
      const { colour, dash } = lookOf(label, theme);
      const points = corners.map(([x, y]) => `${f(view.x0 + x * view.xs)},${f(view.y0 + y * view.ys)}`).join(" ");
      parts.push(`<polygon points="${points}" fill="${colour}" fill-opacity="0.14" stroke="${colour}" stroke-dasharray="${dash.join(" ")}"/>`);
    });
  }
  parts.push(`<text x="${width - 8}" y="${height - 18}" text-anchor="end" font-weight="600" fill="${colours.ink}">${escape(clipped(plot.axes[0].name))}</text>`);
  parts.push(`<text x="6" y="16" font-weight="600" fill="${colours.ink}">${escape(clipped(plot.axes[1].name))}</text>`);
  if (stride > 1) parts.push(`<text x="6" y="${height - 18}" fill="${colours.ink}">1 in ${stride} rows is drawn</text>`);
  parts.push("</svg>");
  return parts.join("\n");
}

function markPath(mark, x, y, s) {
  const at = (dx, dy) => `${(x + dx).toFixed(2)} ${(y + dy).toFixed(2)}`;
  if (mark === "triangle") return `M${at(0, -s)}L${at(s, s)}L${at(-s, s)}Z`;
  if (mark === "square") return `M${at(-s * 0.9, -s * 0.9)}h${1.8 * s}v${1.8 * s}h${-1.8 * s}Z`;
  if (mark === "diamond") return `M${at(0, -1.25 * s)}L${at(1.25 * s, 0)}L${at(0, 1.25 * s)}L${at(-1.25 * s, 0)}Z`;
  if (mark === "cross") return `M${at(-s, -s / 3)}h${2 * s}v${s / 1.5}h${-2 * s}ZM${at(-s / 3, -s)}h${s / 1.5}v${2 * s}h${-s / 1.5}Z`;
  return `M${at(-s, 0)}a${s} ${s} 0 1 0 ${2 * s} 0a${s} ${s} 0 1 0 ${-2 * s} 0Z`;
}
