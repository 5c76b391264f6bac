// What a new user may do in the first five minutes, on four models, as a transcript with times. It is for looking at the
// page, and no test. The models are those of the corpus (IMPASSE_CORPUS, or ../shared/corpus).
//
//     node test/tour.mjs --impasse target/debug/impasse --shots DIR

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../../..");
const option = (name, usual) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? usual : process.argv[at + 1];
};
const impasse = resolve(option("impasse", join(root, "target/debug/impasse")));
const corpus = process.env.IMPASSE_CORPUS ?? resolve(root, "../shared/corpus");
const shots = option("shots", "tour");
mkdirSync(shots, { recursive: true });
const chromium = option("chromium", process.env.CHROMIUM);
if (!chromium) {
  throw new Error("name the browser: --chromium PATH, or the variable CHROMIUM");
}
const browser = await puppeteer.launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--disable-gpu"],
});

async function visit(name, args, ...acts) {
  console.log(`\n${name}: impasse explore ${args.join(" ").replaceAll(corpus, "$CORPUS")}`);
  const child = spawn(impasse, ["explore", "--quiet", ...args], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise((done) => createInterface(child.stdout).once("line", done));
  const page = await browser.newPage();
  await page.setViewport({ width: 1500, height: 940 });
  await page.goto(line.slice(line.indexOf("http://")));
  await page.waitForSelector("#enabled-title", { timeout: 60_000 });
  for (const [what, act] of acts) {
    const begin = performance.now();
    try {
      const told = await act(page);
      await page.waitForNetworkIdle({ idleTime: 150, timeout: 60_000 });
      console.log(`  ${what} (${Math.round(performance.now() - begin)} ms)${told === undefined ? "" : `: ${told}`}`);
    } catch (error) {
      console.log(`  ${what}: ${error}`);
    }
  }
  await page.screenshot({ path: join(shots, `tour_${name}.png`) });
  await page.close();
  child.kill("SIGINT");
}

const click = (label) => (page) =>
  page
    .waitForFunction(
      (wanted) => {
        const all = [...document.querySelectorAll("button, [role=tab]")];
        const found = all.find((b) => (b.getAttribute("aria-label") ?? b.textContent).trim().startsWith(wanted));
        if (found === undefined || found.disabled) return false;
        found.click();
        return true;
      },
      { timeout: 60_000 },
      label,
    )
    .then(() => undefined);
const badges = (page) =>
  page
    .waitForFunction(() => document.querySelector(".badge.running") === null, { timeout: 240_000 })
    .then(() =>
      page.evaluate(() => {
        const told = [...document.querySelectorAll(".properties li")].map(
          (row) => row.querySelector(".badge").textContent,
        );
        const count = (word) => told.filter((text) => text.includes(word)).length;
        return ["unsafe", "safe", "unreachable", "reachable", "unknown"]
          .map((word) => [word, told.filter((text) => text.trim().split(" ").pop() === word).length])
          .filter(([, n]) => n > 0)
          .map(([word, n]) => `${n} ${word}`)
          .concat(count("not checked") > 0 ? [`${count("not checked")} not checked`] : [])
          .join(", ");
      }),
    );
const status = (page) => page.$eval("[role=status][aria-live]", (said) => said.textContent);
const details = (page) => page.$eval(".details p", (said) => said.textContent);

await visit(
  "philosophers",
  ["examples/philosophers.rwb"],
  ["take the first step", (page) => page.click("[aria-labelledby=enabled-title] .row").then(() => status(page))],
  ["check all", click("Check all")],
  ["see the verdicts", badges],
  ["show the run of the deadlock", click("Show the run of deadlock")],
  ["read why nothing goes on", (page) => page.$eval("[aria-labelledby=refused-title] .row", (row) => row.textContent)],
  ["see it as a sequence diagram", click("Sequence")],
);
const net = join(corpus, "mcc/CircularTrains-PT-012");
await visit(
  "contest_net",
  [join(net, "model.pnml.xz"), "--properties", join(net, "ReachabilityFireability.xml.xz")],
  ["run 20 random steps", click("Run")],
  ["see where the tokens are", status],
  ["check all", click("Check all")],
  ["see the verdicts", badges],
  [
    "show the first run",
    (page) => page.evaluate(() => document.querySelector("[aria-label^='Show the run']")?.click()),
  ],
  ["see where it leads", status],
);
const rers = join(corpus, "rers/2012/Problem1");
await visit(
  "rers_ltl",
  [join(rers, "Problem1.c.xz"), "--properties", join(rers, "properties.txt.xz")],
  ["check all", click("Check all")],
  ["see the verdicts", badges],
  [
    "show the run of a violated formula",
    (page) => page.evaluate(() => document.querySelector("[aria-label^='Show the run of ltl']")?.click()),
  ],
  ["see where it leads", status],
  ["see it as a sequence diagram", click("Sequence")],
);
await visit(
  "proof",
  ["examples/water_tank.rwb"],
  ["check all", click("Check all")],
  ["see the verdicts", badges],
  ["read the proof in words", details],
  ["look for a deadlock", (page) => page.select("[aria-labelledby=tools-title] select", "property")],
  ["search it", click("Find")],
  ["read the answer", status],
  ["save the evidence", click("Save the evidence")],
);
await browser.close();
