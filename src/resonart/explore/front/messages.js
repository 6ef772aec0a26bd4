// Messages from Python and to it: the same over a socket, in a notebook, and from a file.

const ARRAYS = {
  f4: Float32Array, f8: Float64Array, i4: Int32Array, u4: Uint32Array,
  i2: Int16Array, u2: Uint16Array, u1: Uint8Array,
};

// Puts arrays back in their places in a message; rows of a matrix are views of it.
function revive(value, buffers) {
  if (Array.isArray(value)) return value.map((item) => revive(item, buffers));
  if (value === null || typeof value !== "object") return value;
  if ("$array" in value) {
    const kind = ARRAYS[value.dtype];
    const { buffer, offset, length } = asBytes(buffers[value.$array]);
    const flat = offset % kind.BYTES_PER_ELEMENT
      ? new kind(buffer.slice(offset, offset + length))
      : new kind(buffer, offset, length / kind.BYTES_PER_ELEMENT);
    if (value.shape.length === 1) return flat;
    const [n, width] = value.shape;
    return Array.from({ length: n }, (_, i) => flat.subarray(i * width, (i + 1) * width));
  }
  return Object.fromEntries(Object.entries(value).map(([k, item]) => [k, revive(item, buffers)]));
}

function asBytes(data) {
  return data instanceof ArrayBuffer
    ? { buffer: data, offset: 0, length: data.byteLength }
    : { buffer: data.buffer, offset: data.byteOffset, length: data.byteLength };
}

// One message in one piece: the length of the JSON, the JSON, and the arrays.
function unframe(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let at = 4 + length;
  const buffers = head.lengths.map((size) => {
    at += (8 - (at % 8)) % 8;
    const bytes = new Uint8Array(buffer, at, size);
    at += size;
    return bytes;
  });
  return revive(head.message, buffers);
}

// The line to Python: answers are matched with questions by numbers; other messages are pushed.
class Line {
  constructor(send) {
    this.send = send;
    this.asked = new Map();
    this.next = Math.floor(Math.random() * 2 ** 40); // a notebook may show one widget twice
    this.onPush = () => {};
    this.onEnd = () => {};
    this.isLive = true;
  }

  ask(kind, more = {}) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject });
      this.send({ ...more, id, kind });
    });
  }

  hear(message) {
    const waiting = this.asked.get(message.re);
    if (!waiting) {
      // A change that another page asked for is sent to all pages.
      const isNews = message.re === undefined || message.re === null || message.kind === "model";
      if (isNews && !this.asked.has(message.of)) this.onPush(message);
      return;
    }
    this.asked.delete(message.re);
    if (message.kind === "error") waiting.reject(new Error(message.text));
    else waiting.resolve(message);
  }

  end() {
    for (const { reject } of this.asked.values()) reject(new Error("The connection to Python is closed."));
    this.asked.clear();
    this.onEnd();
  }
}

function lineOfSocket(address) {
  const socket = new WebSocket(address);
  socket.binaryType = "arraybuffer";
  const open = new Promise((resolve) => socket.addEventListener("open", resolve));
  const line = new Line((message) => open.then(() => socket.send(JSON.stringify(message))));
  socket.addEventListener("message", (event) => line.hear(unframe(event.data)));
  socket.addEventListener("close", () => line.end());
  return line;
}

// anywidget's model: custom messages, with arrays as buffers.
function lineOfWidget(model) {
  const line = new Line((message) => model.send(message));
  const hear = (content, buffers) => line.hear(revive(content, buffers || []));
  model.on("msg:custom", hear);
  line.close = () => model.off("msg:custom", hear);
  return line;
}

// A file contains the answers, except those that need Python.
class FileLine {
  constructor(content) {
    this.content = content;
    this.isLive = false;
    this.onPush = () => {};
    this.onEnd = () => {};
  }

  textsOf(row) {
    return this.content.texts?.[row] || [];
  }

  async ask(kind, more = {}) {
    const { content } = this;
    if (kind === "open") return content.scene;
    if (kind === "rules" && content.rules[more.label]) {
      return { kind, label: more.label, lines: content.rules[more.label] };
    }
    if (kind === "explain" && content.explanations[more.row]) return content.explanations[more.row];
    if (content[kind] && kind !== "rules") return content[kind];
    if (kind === "keep") throw new Error("The model file was too large for this page. Save it in Python: model.save(path).");
    throw new Error("This is a saved page, and this needs Python.");
  }
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return unframe(await new Response(stream).arrayBuffer());
}
