// How a cluster looks: one colour and one mark for each number, noise in grey.

// Safe for colour-blind eyes, as in resonart.plot; a little lighter on dark ground.
const COLOURS = {
  light: ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#882255"],
  dark: ["#3D9BDC", "#F0B429", "#2BC297", "#FF7F3B", "#8FD3F8", "#E79DC6", "#D0568C"],
};
const NOISE = { light: "#8C8C8C", dark: "#8C8C8C" };
// Marks change when the colours repeat: 42 clusters look different.
const MARKS = ["circle", "triangle", "square", "diamond", "cross", "ring"];
const MARK_SIGNS = { circle: "●", triangle: "▲", square: "■", diamond: "◆", cross: "✚", ring: "○" };
const DASHES = [[], [5, 3], [1.5, 2.5], [6, 2, 1.5, 2], [9, 3], [3, 2]];

function lookOf(label, theme) {
  if (label < 0) return { colour: NOISE[theme], mark: "circle", dash: [] };
  const round = Math.floor(label / COLOURS[theme].length) % MARKS.length;
  return {
    colour: COLOURS[theme][label % COLOURS[theme].length],
    mark: MARKS[round],
    dash: DASHES[round],
  };
}

function channels(colour) {
  const value = parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function nameOf(label) {
  return label < 0 ? "noise" : `cluster ${label}`;
}

// Colours of a heat map from low to high: evenly lighter, safe for colour-blind eyes (after cividis).
const HEAT = ["#00224E", "#123570", "#3B496C", "#575D6D", "#707173", "#8A8678", "#A59C74", "#C3B369", "#E1CC55", "#FEE838"];

function heatOf(share) {
  if (!(share >= 0)) return null;
  const at = Math.min(share, 1) * (HEAT.length - 1);
  const low = channels(HEAT[Math.floor(at)]);
  const high = channels(HEAT[Math.ceil(at)]);
  const mixed = low.map((c, i) => Math.round(c + (high[i] - c) * (at - Math.floor(at))));
  return `rgb(${mixed.join(",")})`;
}
