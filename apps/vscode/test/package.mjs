// Compares the files of a package with those that it should have.
import assert from "node:assert";
import { createRequire } from "node:module";

const yauzl = createRequire(import.meta.url)("yauzl");

const names = await new Promise((resolve, reject) => {
  yauzl.open(process.argv[2], { lazyEntries: true }, (error, archive) => {
    if (error) {
      return reject(error);
    }
    const found = [];
    archive.on("entry", (entry) => {
      found.push(entry.fileName);
      archive.readEntry();
    });
    archive.on("end", () => resolve(found));
    archive.readEntry();
  });
});
assert.deepEqual(names.sort(), [
  "[Content_Types].xml",
  "extension.vsixmanifest",
  "extension/LICENSE.txt",
  "extension/changelog.md",
  "extension/dist/extension.js",
  "extension/dist/licences.txt",
  "extension/icon.png",
  "extension/language-configuration.json",
  "extension/package.json",
  "extension/readme.md",
  "extension/syntaxes/rwb.tmLanguage.json",
  "extension/syntaxes/spec.tmLanguage.json",
]);
