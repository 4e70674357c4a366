// One board: its glass pixel by pixel with the ring around, or a stand-in where it has no eyes.

const RETRY_MS = 1000;
const STILL_MS = 5000; // between two pictures for people who want no motion
const UNNAMED = "aora"; // what a board is called until somebody names it
const MARGIN = 44; // around the glass, for the ring
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const records = {
  S: (view, at) => ({ size: 7, width: view.getUint16(at + 1, true), height: view.getUint16(at + 3, true),
    round: view.getUint8(at + 5), lit: view.getUint8(at + 6) }),
  P: (view, at) => {
    const [x, y, width, height] = [1, 3, 5, 7].map((n) => view.getUint16(at + n, true));
    return { size: 9 + width * height * 3, x, y, width, height };
  },
  R: (view, at) => ({ size: 2 + view.getUint8(at + 1) * 3, count: view.getUint8(at + 1) }),
};
const HEADS = { S: 7, P: 9, R: 2 };

export class Board {
  constructor(ask) {
    this.ask = ask;
    this.device = {};
    this.looking = !document.hidden;
    this.leds = [];
    this.element = document.createElement("article");
    this.element.className = "board";
    this.element.innerHTML = `<div class="device"><canvas class="ring" aria-hidden="true"></canvas></div>
      <h3></h3><p class="about"></p><div class="keys"></div>`;
    this.ring = this.element.querySelector(".ring");
    this.painted = 0;
  }

  /** Takes the bridge's description of the device. */
  update(device) {
    const before = this.device;
    this.device = device;
    this.element.dataset.link = device.link;
    const name = device.name === UNNAMED ? "" : device.name;
    const heading = [device.board || device.port, name].filter(Boolean).join(" · ");
    this.element.querySelector("h3").textContent = heading;
    this.element.setAttribute("aria-label", heading);
    const where = device.pixels ? "virtual" : device.port;
    const words = device.port ? [device.link, device.error, where] : ["no board: as it would look"];
    this.element.querySelector(".about").textContent = words.filter(Boolean).join(" · ");
    if (before.id !== device.id || before.pixels !== device.pixels) this.rebuild();
    if (String(before.buttons) !== String(device.buttons)) this.showButtons();
  }

  rebuild() {
    this.abort?.abort();
    this.glass?.remove();
    this.glass = this.device.pixels ? document.createElement("canvas") : new Image();
    this.glass.className = "panel";
    this.element.querySelector(".device").append(this.glass);
    if (this.device.pixels) {
      this.glass.setAttribute("role", "img");
      this.hiddenGlass = document.createElement("canvas");
    }
    const [width, height] = this.device.panel || [240, 240];
    this.resize(width, height, this.device.round);
    this.say(this.text || "");
    this.picture();
    if (this.device.pixels && this.looking) this.watch();
  }

  showButtons() {
    const keys = (this.device.buttons || []).map((name) => {
      const key = document.createElement("button");
      key.textContent = `Button ${name.toUpperCase()}`;
      key.onclick = () => this.ask(`devices/${this.device.id}/press/${name}`, { method: "POST" });
      return key;
    });
    this.element.querySelector(".keys").replaceChildren(...(this.device.pixels ? keys : []));
  }

  /** The glass in the middle of a ring that goes around it. */
  resize(width, height, round) {
    const reach = round ? Math.max(width, height) / 2 : Math.hypot(width, height) / 2;
    this.box = Math.round(2 * (reach + MARGIN));
    this.radius = reach + MARGIN / 2 - 2;
    this.glass.classList.toggle("round", Boolean(round));
    this.glass.style.width = `${(100 * width) / this.box}%`;
    this.element.querySelector(".device").style.maxWidth = `${this.box}px`;
    if (this.glass instanceof HTMLCanvasElement) {
      for (const canvas of [this.glass, this.hiddenGlass]) {
        canvas.width = width;
        canvas.height = height;
      }
    }
    this.drawRing();
  }

  /** What is on the face, for those who hear it. */
  face(face, text) {
    this.expected = face;
    this.say(text);
    this.picture();
  }

  say(text) {
    this.text = text;
    const label = `The face of ${this.device.board || "the board"}: ${text}`;
    if (this.glass instanceof HTMLCanvasElement) this.glass.setAttribute("aria-label", label);
    else if (this.glass) this.glass.alt = label;
  }

  /** A board without pixels: the bridge draws what it says it shows, or else what it should. */
  picture() {
    const expected = this.expected;
    if (this.device.pixels || !this.glass || !expected) return;
    const { code, session_id: session } = this.reported || expected;
    const same = code === expected.code && session === expected.session_id;
    const tips = same && expected.tips ? expected.tips : "";
    const source = `preview.svg?code=${code}&tips=${encodeURIComponent(tips)}`;
    if (this.glass.getAttribute("src") !== source) this.glass.src = source;
  }

  shown(shown) {
    if (shown.device !== this.device.id) return;
    this.reported = shown;
    this.picture();
    this.paint(true);
  }

  look(looking) {
    this.looking = looking;
    if (!looking) this.abort?.abort();
    else if (this.device.pixels) this.watch();
  }

  close() {
    this.looking = false;
    this.abort?.abort();
    this.element.remove();
  }

  // Pixels.

  async watch() {
    this.abort?.abort();
    const abort = (this.abort = new AbortController());
    while (!abort.signal.aborted) {
      try {
        await this.read(abort.signal);
      } catch (error) {
        // A TypeError of fetch: the bridge went away. An AbortError: this page looks away.
        if (!["TypeError", "AbortError"].includes(error.name)) console.error(error);
      }
      if (!abort.signal.aborted) await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }

  async read(signal) {
    const answer = await this.ask(`devices/${this.device.id}/pixels`, { signal });
    if (!answer.ok) return;
    const reader = answer.body.getReader();
    let rest = new Uint8Array();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const data = new Uint8Array(rest.length + value.length);
      data.set(rest);
      data.set(value, rest.length);
      rest = data.slice(this.take(data));
      this.paint(false);
    }
  }

  /** Draws every whole record; answers how many bytes they were. */
  take(data) {
    const view = new DataView(data.buffer);
    let at = 0;
    for (;;) {
      const kind = String.fromCharCode(data[at]);
      if (at + (HEADS[kind] || Infinity) > data.length) return at;
      const record = records[kind](view, at);
      if (at + record.size > data.length) return at;
      this[`take${kind}`](record, data, at);
      at += record.size;
    }
  }

  takeS({ width, height, round }) {
    this.resize(width, height, round);
  }

  takeP({ x, y, width, height }, data, at) {
    const context = this.hiddenGlass.getContext("2d");
    const image = context.createImageData(width, height);
    for (let from = at + 9, to = 0; to < image.data.length; from += 3, to += 4) {
      image.data[to] = data[from];
      image.data[to + 1] = data[from + 1];
      image.data[to + 2] = data[from + 2];
      image.data[to + 3] = 255;
    }
    context.putImageData(image, x, y);
  }

  takeR({ count }, data, at) {
    this.leds = Array.from({ length: count }, (_, led) => data.slice(at + 2 + led * 3, at + 5 + led * 3));
    this.ringChanged = true;
  }

  /** Brings what has come in before people's eyes; seldom, if they want no motion. */
  paint(news) {
    const now = performance.now();
    if (!this.hiddenGlass || (calm.matches && !news && now - this.painted < STILL_MS)) return;
    this.painted = now;
    this.glass.getContext("2d").drawImage(this.hiddenGlass, 0, 0);
    if (this.ringChanged) this.drawRing();
    this.ringChanged = false;
  }

  drawRing() {
    const scale = devicePixelRatio || 1;
    this.ring.width = this.ring.height = this.box * scale;
    const context = this.ring.getContext("2d");
    context.scale(scale, scale);
    context.translate(this.box / 2, this.box / 2);
    this.leds.forEach((led, place) => drawLed(context, led, place / this.leds.length, this.radius));
  }
}

/** An LED as an eye sees it: what is sent is linear light, and little of it is bright. */
function drawLed(context, led, turn, radius) {
  const angle = turn * 2 * Math.PI - Math.PI / 2;
  const [x, y] = [Math.cos(angle) * radius, Math.sin(angle) * radius];
  const most = Math.max(...led);
  const light = (most / 255) ** 0.4;
  const colour = [...led].map((c) => Math.round((c / most) ** 0.45 * 255)).join(" ");
  if (most) {
    const glow = context.createRadialGradient(x, y, 2, x, y, 18);
    glow.addColorStop(0, `rgb(${colour} / ${0.75 * light})`);
    glow.addColorStop(1, `rgb(${colour} / 0)`);
    context.fillStyle = glow;
    context.fillRect(x - 18, y - 18, 36, 36);
  }
  context.beginPath();
  context.arc(x, y, 5, 0, 2 * Math.PI);
  context.fillStyle = most ? `rgb(${colour} / ${0.25 + 0.75 * light})` : "#1a2029";
  context.fill();
}
