// Places of rows and boxes along two axes, each a weighted sum of features.

// An axis is a feature, a principal component, or the number of the row.
function axesOf(rows) {
  const axes = rows.features.map((name, f) => ({
    key: `f${f}`, name, weights: [[f, 1]], low: rows.low[f], high: rows.high[f],
  }));
  rows.components.forEach((each, k) => {
    axes.push({
      key: `c${k}`, name: each.name,
      weights: each.loadings.map((w, f) => [f, w]).filter(([, w]) => w !== 0),
      low: 0, high: 1,
    });
  });
  if (rows.numbers.length) {
    axes.push({ key: "row", name: "row number", weights: [], low: 0, high: Math.max(rows.n_rows - 1, 1) });
  }
  return axes;
}

// The first of the two axes to begin with: above two features, those along which rows vary most.
function firstAxis(rows) {
  return rows.features.length > 2 && rows.components.length > 1 ? rows.features.length : 0;
}

function placesOf(rows, axis) {
  const n = rows.numbers.length;
  const places = new Float32Array(n);
  if (axis.key === "row") {
    for (let i = 0; i < n; i++) places[i] = rows.numbers[i] / axis.high;
    return places;
  }
  for (const [f, weight] of axis.weights) {
    const column = rows.values[f];
    if (weight === 1 && axis.weights.length === 1) return column;
    for (let i = 0; i < n; i++) places[i] += weight * column[i];
  }
  return places;
}

// The projection of a box on two axes: a rectangle for two features, else the polygon that its
// sides span, in order of their direction.
function shadowOf(lower, upper, x, y) {
  const along = (axis, corner) => axis.weights.reduce((sum, [f, w]) => sum + w * corner[f], 0);
  if (x.key === "row" || y.key === "row") {
    const [a, b] = x.key === "row" ? [0, 1] : sidesAlong(x, lower, upper);
    const [c, d] = y.key === "row" ? [0, 1] : sidesAlong(y, lower, upper);
    return [[a, c], [b, c], [b, d], [a, d]];
  }
  const sides = [];
  const wx = new Map(x.weights);
  const wy = new Map(y.weights);
  let start = [along(x, lower), along(y, lower)];
  for (const f of new Set([...wx.keys(), ...wy.keys()])) {
    const size = upper[f] - lower[f];
    let side = [(wx.get(f) || 0) * size, (wy.get(f) || 0) * size];
    if (side[0] === 0 && side[1] === 0) continue;
    if (side[1] < 0 || (side[1] === 0 && side[0] < 0)) { // all point upwards
      start = [start[0] + side[0], start[1] + side[1]];
      side = [-side[0], -side[1]];
    }
    sides.push(side);
  }
  sides.sort((a, b) => Math.atan2(a[1], a[0]) - Math.atan2(b[1], b[0]));
  const corners = [start];
  let at = start;
  for (const sign of [1, -1]) {
    for (const side of sides) {
      at = [at[0] + sign * side[0], at[1] + sign * side[1]];
      corners.push(at);
    }
  }
  corners.pop();
  return corners.length ? corners : [start];
}

function sidesAlong(axis, lower, upper) {
  let low = 0;
  let high = 0;
  for (const [f, w] of axis.weights) {
    low += w * (w > 0 ? lower[f] : upper[f]);
    high += w * (w > 0 ? upper[f] : lower[f]);
  }
  return [low, high];
}

function extentOf(places, boxes, which) {
  let low = Infinity;
  let high = -Infinity;
  for (const p of places) {
    if (p < low) low = p;
    if (p > high) high = p;
  }
  for (const corners of boxes) {
    for (const corner of corners) {
      if (corner[which] < low) low = corner[which];
      if (corner[which] > high) high = corner[which];
    }
  }
  if (!(low <= high)) [low, high] = [0, 1];
  const gap = (high - low) * 0.04 || 0.5;
  return [low - gap, high + gap];
}

// Ticks at round numbers in the user's units.
function ticksOf(axis, from, to, most) {
  const span = axis.high - axis.low;
  const scale = span > 0 ? span : 1;
  const low = axis.low + from * scale;
  const high = axis.low + to * scale;
  const rough = (high - low) / Math.max(most, 1);
  if (!(rough > 0) || !Number.isFinite(rough)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) || rough;
  const ticks = [];
  const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));
  for (let k = Math.ceil(low / step); k * step <= high && ticks.length < 50; k++) {
    const value = k * step;
    const text = Math.abs(value) >= 1e7 || (step < 1e-6) ? value.toExponential(2) : value.toFixed(digits);
    ticks.push({ at: (value - axis.low) / scale, text: text === "-0" ? "0" : text });
  }
  return ticks;
}

function isInside(polygon, x, y) {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i];
    const [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}

// For reading, not for computing: four digits.
function rounded(value) {
  return shortNumber(Number.isInteger(value) ? value : Number(Number(value).toPrecision(4)));
}

function countOf(n, word) {
  return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
}

function shortNumber(value) {
  if (value === null || value === undefined) return "";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en");
  const text = Number(value).toPrecision(6);
  return text.includes("e") ? text : text.replace(/\.?0+$/, "");
}
