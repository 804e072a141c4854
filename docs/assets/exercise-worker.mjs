// One Python for one run of an exercise's checks. The page ends the worker after it.

import { loadPyodide } from "./pyodide/pyodide.mjs";

const FOLDER = "/trial";
const OUTPUT_BYTES = 65_536; // as at a terminal

async function text(name) {
  const reply = await fetch(new URL(name, import.meta.url));
  if (!reply.ok) throw new Error(`${name}: ${reply.status}`);
  return reply.text();
}

// Pyodide logs that its largest file has failed, and waits on for ever.
const noWebAssembly = new Promise((_, reject) => {
  const { instantiateStreaming } = WebAssembly;
  WebAssembly.instantiateStreaming = (...given) => {
    const instance = instantiateStreaming(...given);
    instance.catch(reject);
    return instance;
  };
});

async function load() {
  const [python, program, child] = await Promise.all([
    loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href }),
    text("exercise_run.py"),
    text("exercise_child.py"),
  ]);
  const names = python.toPy({});
  python.runPython(program, { globals: names });
  return { python, child, run: names.get("run"), signer: names.get("signer") };
}

// Records come one by one, so that a run that must be stopped has told how far it got.
// What has a false signature, because the answer wrote it, is sorted out at the end.
function watchRecords({ python, signer }, page) {
  const key = crypto.getRandomValues(new Uint8Array(32));
  const sign = signer(python.toPy(key).tobytes());
  const lines = [];
  let bytes = [];
  python.FS.writeFile(`${FOLDER}/inputs/key`, key);
  python.FS.createDevice(`${FOLDER}/work`, "verdict", null, (byte) => {
    if (byte !== 10) return void bytes.push(byte);
    const line = new TextDecoder().decode(new Uint8Array(bytes));
    bytes = [];
    lines.push(line);
    page.postMessage({ record: body(line) });
  });
  return () => lines.filter((line) => sign(body(line)) === line.split(" ")[0]).map(body);
}

function body(line) {
  return line.slice(line.indexOf(" ") + 1);
}

function watchOutput(python, page) {
  let size = 0;
  const stream = () => {
    const decoder = new TextDecoder();
    return (bytes) => {
      if (size <= OUTPUT_BYTES) {
        size += bytes.length;
        page.postMessage(size > OUTPUT_BYTES
          ? { ended: "flooded" }
          : { printed: decoder.decode(bytes, { stream: true }) });
      }
      return bytes.length;
    };
  };
  python.setStdout({ write: stream() });
  python.setStderr({ write: stream() });
  python.setStdin({ stdin: () => null });
}

// What fails inside Pyodide's own loading does not always reach its promise.
addEventListener("unhandledrejection", ({ reason }) => postMessage(String(reason)));

const loaded = Promise.race([load(), noWebAssembly]);
loaded.then(() => postMessage("ready"), (error) => postMessage(String(error)));

// The port is the page's and ours alone: an answer that finds this worker's own
// postMessage speaks to nobody.
onmessage = async ({ data: { answer, checks }, ports: [page] }) => {
  const parts = await loaded;
  const { python, child, run } = parts;
  python.FS.mkdirTree(`${FOLDER}/inputs`);
  python.FS.mkdirTree(`${FOLDER}/work`);
  python.FS.writeFile(`${FOLDER}/inputs/exercise.py`, answer);
  python.FS.writeFile(`${FOLDER}/inputs/checks.py`, checks);
  const genuine = watchRecords(parts, page);
  watchOutput(python, page);
  try {
    run(child, FOLDER);
    page.postMessage({ ended: "finished", records: genuine() });
  } catch {
    page.postMessage({ ended: "early" });
  }
};
