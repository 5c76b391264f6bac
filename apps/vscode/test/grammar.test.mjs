// The scopes that the grammars give to the tokens of small files, compared with snapshots. UPDATE=1 renews them.
import assert from "node:assert";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import test from "node:test";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const here = import.meta.dirname;
const root = path.join(here, "..");
const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));

async function registry() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  return new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const file = manifest.contributes.grammars.find((grammar) => grammar.scopeName === scope).path;
      return textmate.parseRawGrammar(fs.readFileSync(path.join(root, file), "utf8"), file);
    },
  });
}

/** Returns each token that is no blank, with its innermost scope. */
function scopes(grammar, text) {
  const out = [];
  let state = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    for (const token of tokens) {
      const word = line.slice(token.startIndex, token.endIndex).trim();
      if (word) {
        out.push(`${word.padEnd(24)} ${token.scopes.at(-1)}`.trimEnd());
      }
    }
  }
  return out.join("\n") + "\n";
}

test("tokens have their scopes", async () => {
  const grammars = await registry();
  for (const [file, scope] of [["sample.rwb", "source.rwb"], ["sample.spec", "source.mist-spec"]]) {
    const grammar = await grammars.loadGrammar(scope);
    const found = scopes(grammar, fs.readFileSync(path.join(here, file), "utf8"));
    const snapshot = path.join(here, `${file}.scopes`);
    if (process.env.UPDATE) {
      fs.writeFileSync(snapshot, found);
    }
    assert.equal(found, fs.readFileSync(snapshot, "utf8"), file);
  }
});

test("the bundle can be loaded", () => {
  const bundle = path.join(root, "dist", "extension.js");
  const Module = require("node:module");
  // Every member of the editor is a function, a class and an object at once.
  const anything = () => new Proxy(class {}, { get: (own, name) => (name === "prototype" ? own.prototype : anything()) });
  const load = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? anything() : load(name, ...rest));
  try {
    const extension = require(bundle);
    assert.equal(typeof extension.activate, "function");
    assert.equal(typeof extension.deactivate, "function");
  } finally {
    Module._load = load;
  }
});
