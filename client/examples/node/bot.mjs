// A bot for Kaguraden that plays at random: node bot.mjs URL [GAME or ROOM]
// `npm ci` in this folder first. protocol/README.md says what all the messages mean.

import WebSocket from "ws";

const [url = "ws://127.0.0.1:8765/ws", what = "odoriko"] = process.argv.slice(2);
const SEATS = { odoriko: 2, enbu: 1, yumeochi: 4 }; // as many as each game needs at least

const fail = (why) => {
  console.error(why);
  process.exit(1);
};

// --- requests: each gets one reply, in the order in which they were sent ------------------------

const ws = new WebSocket(url, "kaguraden.v1");
const waiting = new Map(); // id of a request -> what to do with its reply
let lastId = 0;

/** Send a request; the promise gives its result, or throws the server's error. */
function ask(type, fields = {}) {
  const id = ++lastId;
  ws.send(JSON.stringify({ type, id, ...fields }));
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

// --- choosing ------------------------------------------------------------------------------------

const below = (n) => Math.floor(Math.random() * n);
const oneOf = (list) => list[below(list.length)];
const between = (min, max) => min + below(max - min + 1);

function some(cards, n) {
  const rest = [...cards];
  return Array.from({ length: n }, () => rest.splice(below(rest.length), 1)[0]);
}

/** Whether we know what an option takes along; a later version may add kinds of values. */
const isKnown = ({ value }) => !value || ["int", "cards", "order"].includes(value.type);

/** What an option takes along: a number, some cards, or all cards in an order. */
function value(spec) {
  switch (spec.type) {
    case "int":
      return between(spec.min, spec.max);
    case "cards":
      return some(spec.from, between(spec.min, spec.max));
    case "order":
      return some(spec.of, spec.of.length);
  }
}

// --- playing -------------------------------------------------------------------------------------

const answered = new Set(); // ids of decisions; they never come back
let view = {};

/** Take an update: remember the view, answer what is asked, hang up when the game is over. */
async function play({ room, view: now = view, decisions }) {
  view = now;
  if (view.outcome) {
    console.log(JSON.stringify(view.outcome));
    return ws.close(1000);
  }
  for (const decision of decisions) {
    if (answered.has(decision.id)) continue;
    answered.add(decision.id);
    const option = oneOf(decision.options.filter(isKnown));
    const answer = { room, decision: decision.id, option: option.id };
    if (option.value) answer.value = value(option.value);
    await pause(50); // a server takes 20 requests a second
    await ask("act", answer).catch((error) => {
      // Others may act at the same time, and later versions may have reasons of their own: whose
      // answer did not count goes by the next update. These two would be a mistake of ours.
      if (["illegal_option", "bad_value"].includes(error.code)) fail(error.message);
    });
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function sitDown() {
  await ask("hello", { name: "Node", client: { name: "node-bot", version: "1" }, bot: true });
  if (!(what in SEATS)) {
    const { room } = await ask("join", { room: what });
    return ask("ready", { room, ready: true });
  }
  const seats = SEATS[what];
  const { room } = await ask("create", { game: what, seats });
  for (let n = 1; n < seats; n++) await ask("bot", { room, level: "random" });
  await ask("ready", { room, ready: true });
  return ask("start", { room });
}

ws.on("open", () => sitDown().catch((error) => fail(error.message)));
ws.on("message", (text) => {
  const message = JSON.parse(text);
  if ("re" in message) {
    const { resolve, reject } = waiting.get(message.re);
    waiting.delete(message.re);
    message.type === "ok" ? resolve(message.result) : reject(message);
  } else if (message.type === "update") {
    play(message);
  } // there are other pushes; a client may ignore what it does not need
});
ws.on("error", (error) => fail(error.message));
ws.on("close", (code, reason) => view.outcome || fail(`closed: ${code} ${reason}`));
