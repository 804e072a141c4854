// Exercise pages: the starter becomes a text to edit, whose promises can be tried here.
// Python is loaded at the first click. Without this script the page shows the starter
// and says how to check at a terminal.

const exercise = JSON.parse(document.getElementById("exercise").textContent);
const workerFile = new URL("exercise-worker.mjs", document.currentScript.src);
const storageKey = `host-first ${exercise.id}`;
const SECONDS = 10; // as at a terminal
const ENDING = { seconds: SECONDS, limit: "65,536" };

const say = {
  en: {
    answer: "Your exercise.py",
    firstCheck: `Check here (loads Python, ${exercise.megabytes} MB)`,
    check: "Check here",
    stop: "Stop",
    reset: "Start again",
    sure: "Put the starter back? What you wrote here will be lost.",
    kept: "The text stays in this browser, also when you close the page.",
    notKept: "This browser keeps nothing: copy your text before you close the page.",
    lacks: "A browser's Python has no threads, processes or hard links: an answer that uses one can be checked at a terminal only.",
    loading: `Loading Python, ${exercise.megabytes} MB…`,
    running: "Checking…",
    why: "Why: ",
    hint: "Hint: ",
    count: (kept, all) => `${kept} of ${all} promises kept.`,
    cannotLoad: "Python could not be loaded. Try again, or check at a terminal.",
    stoppedLoading: "Stopped.",
    stopped: "it had not ended when you stopped it",
  },
  "zh-CN": {
    answer: "你的 exercise.py",
    firstCheck: `在网页里检查（要先加载 ${exercise.megabytes} MB 的 Python）`,
    check: "在网页里检查",
    stop: "停止",
    reset: "重新开始",
    sure: "恢复成开始时的样子？你在这里写的内容会丢失。",
    kept: "写下的内容保存在这个浏览器里，关掉网页也还在。",
    notKept: "这个浏览器不保存内容：关掉网页之前，请先把它复制出来。",
    lacks: "浏览器里的 Python 没有线程、进程和硬链接：用到它们的答案，只能在终端里检查。",
    loading: `正在加载 Python（${exercise.megabytes} MB）……`,
    running: "正在检查……",
    why: "原因：",
    hint: "提示：",
    count: (kept, all) => `共 ${all} 条，兑现 ${kept} 条。`,
    cannotLoad: "Python 没能加载。请再试一次，或者在终端里检查。",
    stoppedLoading: "已停止。",
    stopped: "你停止的时候它还没有结束",
  },
}[document.documentElement.lang];

// What a terminal says, too: stages/exercise_words.json. A text of a check is a pair.
function words(key, values = {}) {
  const filled = (_, name, language) =>
    language === undefined ? values[name] : values[name][language];
  return (say[key] ?? exercise.words[key]).replace(/\{(\w+)(?:\[(\d)\])?\}/g, filled);
}

// Elements

function element(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

const field = element("textarea", {
  id: "answer-text", wrap: "off", spellcheck: "false", autocapitalize: "off",
  autocomplete: "off", rows: exercise.starter.split("\n").length + 3,
});
const note = element("p", { class: "try-note", id: "answer-note" });
const checkButton = element("button", { type: "button" }, say.firstCheck);
const stopButton = element("button", { type: "button", disabled: "" }, say.stop);
const resetButton = element("button", { type: "button" }, say.reset);
const results = element("div", { class: "try-results", "aria-live": "polite" });
field.setAttribute("aria-describedby", note.id);
document.getElementById("starter-py").replaceWith(element("div", { class: "try" },
  element("label", { for: field.id }, say.answer), field, note,
  element("p", { class: "try-note" }, say.lacks),
  element("p", { class: "try-buttons" }, checkButton, stopButton, resetButton), results));

// The learner's text

function remember(text) {
  try {
    if (text === null) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, text);
    note.textContent = say.kept;
  } catch {
    note.textContent = say.notKept;
  }
}

try {
  field.value = localStorage.getItem(storageKey) ?? exercise.starter;
  note.textContent = say.kept;
} catch {
  field.value = exercise.starter;
  note.textContent = say.notKept;
}
field.addEventListener("input", () => {
  remember(field.value);
  if (hasLoaded) nextPython ??= python(); // while the learner writes
});
resetButton.addEventListener("click", () => {
  if (!confirm(say.sure)) return;
  field.value = exercise.starter;
  remember(null);
  results.replaceChildren();
  field.focus();
});

// A new line begins below the one before it, as in an editor. Tab stays the way out.
field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || event.shiftKey) return;
  const line = field.value.slice(0, field.selectionStart).split("\n").at(-1);
  event.preventDefault();
  document.execCommand("insertText", false, "\n" + line.match(/^ */)[0]); // can be undone
});

// One run

let nextPython = null; // loading, or loaded and unused: each serves one run
let hasLoaded = false; // nothing is loaded before the first click

function python() {
  const worker = new Worker(workerFile, { type: "module" });
  worker.loaded = new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data === "ready" ? "ready" : "broken");
    worker.onerror = () => resolve("broken");
  });
  return worker;
}

checkButton.addEventListener("click", async () => {
  if (!stopButton.disabled) return; // one run at a time
  stopButton.disabled = false;
  const stopped = new Promise((resolve) => {
    stopButton.addEventListener("click", () => resolve("stopped"), { once: true });
  });
  results.replaceChildren(say.loading);
  nextPython ??= python();
  const worker = nextPython;
  const state = await Promise.race([worker.loaded, stopped]);
  nextPython = null;
  if (state === "ready") {
    hasLoaded = true;
    checkButton.textContent = say.check;
    results.replaceChildren(say.running);
    show(await run(worker, stopped));
  } else {
    results.replaceChildren(state === "stopped" ? say.stoppedLoading : say.cannotLoad);
  }
  worker.terminate();
  if (document.activeElement === stopButton) checkButton.focus();
  stopButton.disabled = true;
});

async function run(worker, stopped) {
  const told = { records: [], printed: "" };
  const { port1, port2 } = new MessageChannel();
  const ended = new Promise((resolve) => {
    port1.onmessage = ({ data }) => {
      if (data.record) told.records.push(data.record);
      if (data.printed) told.printed += data.printed;
      if (data.records) told.records = data.records;
      if (data.ended) resolve(data.ended);
    };
    worker.onerror = () => resolve("early");
    setTimeout(() => resolve("late"), SECONDS * 1000);
  });
  worker.postMessage({ answer: field.value, checks: exercise.checks }, [port2]);
  const ending = await Promise.race([ended, stopped]);
  return { outcomes: judge(told.records.flatMap(parse), ending), printed: told.printed };
}

const chinese = document.documentElement.lang === "zh-CN";

// Nothing for what the answer itself wrote into the channel, when it is no record.
function parse(record) {
  let fields;
  try {
    fields = JSON.parse(record);
  } catch {
    return [];
  }
  const isRecord = Array.isArray(fields) && fields.length === 5
    && fields.every((field) => typeof field === "string");
  if (!isRecord) return [];
  const [outcome, check, line, ...told] = fields;
  let why = told.map((text) => text.trim().split("\n")[0].replaceAll("/trial/inputs/", ""));
  if (line !== "0") {
    const place = { why, file: "exercise.py", line };
    why = why.map(() => words("at", place));
  }
  return [{ outcome, check, why }];
}

// The same rules as at a terminal: stages/exercise_trial.py.
function judge(records, ending) {
  const found = new Map();
  let running = null;
  let problem = ending === "finished" ? "" : words(ending, ENDING);
  if (ending === "finished" && records.at(-1)?.outcome !== "finished") {
    problem = words("early");
  }
  for (const { outcome, check, why } of records) {
    running = outcome === "started" ? check : null;
    if (outcome === "import") problem = words("import", { why });
    if (outcome === "tampered") problem = words("tampered");
    const told = why[Number(chinese)];
    if (outcome === "passed" || outcome === "not_run") {
      found.set(check, { outcome, why: told });
    }
    if (outcome === "refused" || outcome === "raised") {
      const byAssertion = outcome === "refused";
      found.set(check, { outcome: "failed", why: told, byAssertion });
    }
  }
  if (problem && exercise.promises.some((promise) => promise.check === running)) {
    found.set(running, { outcome: "failed", why: problem });
  } else if (problem) {
    found.clear(); // no single check is at fault, so none that passed is believed
  }
  return exercise.promises.map(({ check, text }) => ({
    check, text, ...(found.get(check) ?? { outcome: "not_run", why: problem }),
  }));
}

// The hints that fit best, at most three: stages/exercise_course.py.
function hintsFor(check, failed) {
  const fit = ({ rejectedBy }) => {
    const both = rejectedBy.filter((one) => failed.includes(one)).length;
    return both / (rejectedBy.length + failed.length - both);
  };
  const fitting = exercise.wrong.filter((one) => one.rejectedBy.includes(check));
  const best = Math.max(...fitting.map(fit));
  const hints = fitting.filter((one) => fit(one) === best).slice(0, 3);
  return hints.map(({ hint }) => best === 1 ? hint : words("guess", { hint: [hint, hint] }));
}

// Results

function withCode(text) {
  return text.split("`").map((part, at) => at % 2 ? element("code", {}, part) : part);
}

function show({ outcomes, printed }) {
  const failed = outcomes.filter((one) => one.outcome === "failed").map((one) => one.check);
  const kept = outcomes.filter((one) => one.outcome === "passed").length;
  const list = element("ul");
  // An error, what stopped the run, a hint: the same sentence is worth one reading.
  const told = new Set([""]);
  for (const { check, text, outcome, why, byAssertion } of outcomes) {
    const item = element("li", { class: `try-${outcome}` },
      element("strong", {}, words(outcome).trim()), " ", ...withCode(text));
    // An error in the answer says itself what is wrong; a hint would guess.
    const hints = byAssertion ? hintsFor(check, failed) : [];
    if (hints.length) told.delete(why); // what a check found is told with each
    for (const [label, one] of [[say.why, why], ...hints.map((hint) => [say.hint, hint])]) {
      if (!told.has(one)) item.append(element("p", {}, label, ...withCode(one)));
      told.add(one);
    }
    list.append(item);
  }
  results.replaceChildren(element("p", {}, say.count(kept, outcomes.length)), list);
  if (printed) {
    results.append(element("p", { id: "printed" }, words("printed")),
      element("pre", {}, element("code", {
        tabindex: "0", role: "region", "aria-labelledby": "printed",
      }, printed)));
  }
}
