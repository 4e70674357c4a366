// The live page: listens to the bridge while it is looked at, and not otherwise.

import { Board } from "./board.js";

const MESSAGES = 30;
const RETRY_MS = 2000;

const token = takeToken();
const $ = (id) => document.getElementById(id);
const boards = new Map();
const ages = new Map(); // session -> when it was heard last, in this page's time
let sessions = [];
let face = null;
let stream = null;
let retry = 0;
let clock = 0;

function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) sessionStorage.setItem("token", given);
  return given || sessionStorage.getItem("token") || "";
}

/** fetch with the token, if there is one. */
function ask(path, options = {}) {
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  return fetch(path, { ...options, headers });
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// Sessions and seats.

function ageText(ms) {
  const s = Math.floor(ms / 1000);
  if (s < 60) return `${s} s`;
  return s < 3600 ? `${Math.floor(s / 60)} min` : `${Math.floor(s / 3600)} h`;
}

function sessionRow(row) {
  const item = element("li", "session");
  item.dataset.class = row.class;
  item.classList.toggle("front", face !== null && face.session_id === row.session_id);
  const age = element("span", "age");
  age.dataset.session = row.session_id;
  const what = [row.state, row.tips, row.headless ? "headless" : ""].filter(Boolean).join(" · ");
  item.append(
    element("span", "code", row.code),
    element("span", "id", row.session_id),
    age,
    element("span", "what", what),
    element("span", "seat", row.seat === null ? "no seat" : `seat ${row.seat + 1}`),
  );
  return item;
}

function showSessions(rows) {
  sessions = rows.slice().sort((a, b) => b.priority - a.priority || a.age_ms - b.age_ms);
  ages.clear();
  for (const row of rows) ages.set(row.session_id, performance.now() - row.age_ms);
  const list = $("sessions");
  list.replaceChildren(...sessions.map(sessionRow));
  if (!sessions.length) list.append(element("li", "empty", "No agent is heard of."));
  showAges();
}

function showAges() {
  for (const age of document.querySelectorAll(".age")) {
    const text = ageText(performance.now() - ages.get(age.dataset.session));
    if (age.textContent !== text) age.textContent = text;
  }
}

function showSeats(seats) {
  $("seats").replaceChildren(
    ...seats.map((kind, place) => {
      const seat = element("li");
      if (kind) seat.dataset.class = kind;
      seat.setAttribute("aria-label", `seat ${place + 1}: ${kind || "free"}`);
      seat.title = `seat ${place + 1}: ${kind || "free"}`;
      return seat;
    }),
  );
}

// Messages, newest first.

function showMessage(text) {
  const list = $("messages");
  const item = element("li", "", text);
  item.title = text;
  list.prepend(item);
  while (list.children.length > MESSAGES) list.lastChild.remove();
}

// The face and the boards.

function faceText(shown) {
  return shown.tips ? `${shown.state}: ${shown.tips}` : shown.state;
}

function showFace(shown) {
  face = shown;
  const text = faceText(shown);
  if ($("now").textContent !== text) $("now").textContent = text;
  for (const board of boards.values()) board.face(shown, text);
  for (const row of document.querySelectorAll(".session")) {
    const id = row.querySelector(".id").textContent;
    row.classList.toggle("front", id === shown.session_id);
  }
}

function showDevice(device) {
  let board = boards.get(device.port);
  if (!board) {
    board = new Board(ask);
    boards.set(device.port, board);
    $("boards").append(board.element);
  }
  board.update(device);
  if (face) board.face(face, faceText(face));
  showStandIn();
}

/** Without a board the bridge's own preview is shown. */
function showStandIn() {
  const real = [...boards.keys()].some((port) => port !== "");
  if (!real && !boards.has("")) {
    showDevice({ port: "", id: "", board: "preview", link: "live" });
  } else if (real && boards.has("")) {
    boards.get("").close();
    boards.delete("");
  }
}

// The stream of events.

function connection(state, text) {
  $("connection").dataset.state = state;
  $("connection").textContent = text;
}

function on(name, act) {
  stream.addEventListener(name, (event) => act(JSON.parse(event.data)));
}

function open() {
  if (stream || document.hidden) return;
  stream = new EventSource(token ? `events?token=${encodeURIComponent(token)}` : "events");
  stream.onopen = () => connection("open", "live");
  stream.onerror = () => {
    close();
    connection("lost", "no bridge; trying again");
    retry = setTimeout(open, RETRY_MS);
  };
  stream.onmessage = (event) => showMessage(event.data);
  on("snapshot", showSnapshot);
  on("sessions", ({ sessions: rows, seats }) => { showSessions(rows); showSeats(seats); });
  on("face", showFace);
  on("device", showDevice);
  on("shown", (shown) => {
    for (const board of boards.values()) board.shown(shown);
  });
  clock = setInterval(showAges, 1000);
}

function showSnapshot(all) {
  $("messages").replaceChildren();
  all.recent.forEach(showMessage);
  const there = new Set(all.devices.map((device) => device.port));
  for (const [port, board] of boards) {
    if (port && !there.has(port)) { board.close(); boards.delete(port); }
  }
  all.devices.forEach(showDevice);
  showStandIn();
  showFace(all.face);
  showSessions(all.sessions);
  showSeats(all.seats);
}

function close() {
  clearTimeout(retry);
  clearInterval(clock);
  if (stream) stream.close();
  stream = null;
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) close();
  else open();
  for (const board of boards.values()) board.look(!document.hidden);
});

// Posting.

async function fillStates() {
  const states = await (await ask("states")).json();
  const select = $("post").elements.state;
  select.append(...states.map(({ state, code }) => new Option(`${code} ${state}`, state)));
  select.value = "working";
}

$("post").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { session, state, tips } = event.target.elements;
  const message = { session_id: session.value, state: state.value };
  if (tips.value) message.tips = tips.value;
  try {
    const answer = await (await ask("state", { method: "POST", body: JSON.stringify(message) })).json();
    const errors = answer.errors || [{ error: answer.error }];
    $("answer").textContent = answer.accepted ? "" : errors[0].error;
  } catch {
    $("answer").textContent = "the bridge does not answer";
  }
});

fillStates().catch(() => {});
open();
