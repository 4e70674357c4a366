// Runs a script on MicroPython's WebAssembly build: objects of 32 bits, as on a board.
// node run.mjs SCRIPT NAME=FILE...: each FILE is put at NAME beside the script first.
import { readFileSync } from "node:fs";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";

const [script, ...files] = process.argv.slice(2);
const micropython = await loadMicroPython({ heapsize: 8 << 20, linebuffer: true });
const made = new Set();
for (const pair of files) {
  const [name, file] = pair.split("=");
  const parts = name.split("/");
  for (let depth = 1; depth < parts.length; depth++) {
    const folder = "/" + parts.slice(0, depth).join("/");
    if (!made.has(folder)) {
      micropython.FS.mkdir(folder);
      made.add(folder);
    }
  }
  micropython.FS.writeFile("/" + name, readFileSync(file, "utf8"));
}
micropython.runPython("import sys\nsys.path.insert(0, '/')\n" + readFileSync(script, "utf8"));
