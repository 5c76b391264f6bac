// Tests the page in a real browser, and prints a table of times and memory.
//
//     node test/explore.mjs --impasse target/debug/impasse [--shots DIR] [--chromium /usr/bin/chromium]
//         [--dist ../dist] [--only PART_OF_A_NAME]
//
// With `--shots`, it keeps pictures of what it tests.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { grid, many, placed, ring } from "./models.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../../..");
const option = (name, usual) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? usual : process.argv[at + 1];
};
const impasse = resolve(option("impasse", join(root, "target/debug/impasse")));
const shots = option("shots", null);
// Files of the page that are taken from this directory instead of the binary.
const dist = option("dist", null);
const chromium = option("chromium", process.env.CHROMIUM);
if (!chromium) {
  throw new Error("name the browser: --chromium PATH, or the variable CHROMIUM");
}
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const dir = mkdtempSync(join(tmpdir(), "impasse-explore-test-"));
if (shots !== null) mkdirSync(shots, { recursive: true });

const table = [];
const note = (what, value, limit = "") => table.push([what, value, limit]);
const file = (name, text) => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};
const median = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];

/** Starts a server. Returns its address, and functions to measure and end it. */
async function serve(...args) {
  const child = spawn(impasse, ["explore", "--quiet", ...args], { stdio: ["ignore", "pipe", "inherit"], cwd: root });
  const [line] = await Promise.race([
    new Promise((done) => createInterface(child.stdout).once("line", (text) => done([text]))),
    new Promise((_, failed) => child.once("exit", (code) => failed(new Error(`the server has ended: ${code}`)))),
  ]);
  const memory = (field) => {
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  };
  return { address: line.slice(line.indexOf("http://")), memory, end: () => child.kill("SIGINT") };
}

const browser = await puppeteer.launch({
  executablePath: chromium,
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--force-device-scale-factor=1"],
});

/** Opens a page. Errors of its scripts, and requests to elsewhere, fail the test. */
async function open(address, theme = "light", width = 1500, height = 940) {
  const page = await browser.newPage();
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
  page.wrong = [];
  page.on("pageerror", (error) => page.wrong.push(String(error)));
  page.on("console", (said) => {
    if (said.type() === "error" && !said.text().includes("status of 4")) page.wrong.push(said.text());
  });
  page.on("request", (request) => {
    const own = [new URL(address).origin, "blob:", "data:"].some((start) => request.url().startsWith(start));
    if (!own) page.wrong.push(`a request to ${request.url()}`);
  });
  if (dist !== null) {
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      const name = new URL(request.url()).pathname.split("/").pop();
      const kind = { "app.js": "text/javascript", "app.css": "text/css" }[name];
      if (kind === undefined) void request.continue();
      else void request.respond({ contentType: kind, body: readFileSync(join(dist, name)) });
    });
  }
  await page.goto(address);
  await page.waitForSelector("#enabled-title", { timeout: 60_000 });
  return page;
}

async function close(page) {
  assert.deepEqual(page.wrong, []);
  await page.close();
}

const text = (page, selector) => page.$eval(selector, (element) => element.textContent);
const at = async (page) => Number(/\((\d+) of/.exec(await text(page, "#path-title"))[1]);
const settle = (page) => page.waitForNetworkIdle({ idleTime: 120, timeout: 60_000 });
const reaches = (page, step) =>
  page.waitForFunction(
    (n) => new RegExp(`\\(${n} of`).test(document.querySelector("#path-title")?.textContent ?? ""),
    { timeout: 30_000, polling: 5 },
    step,
  );
/** Presses a button as soon as it is there and enabled. */
const press = (page, name) =>
  page.waitForFunction(
    (wanted) => {
      const all = [...document.querySelectorAll("button, [role=tab]")];
      const found = all.find((b) => (b.getAttribute("aria-label") ?? b.textContent).trim().startsWith(wanted));
      if (found === undefined || found.disabled) return false;
      found.click();
      return true;
    },
    { timeout: 20_000, polling: 20 },
    name,
  );
const shot = async (page, name) => {
  if (shots === null) return;
  await settle(page);
  await new Promise((wake) => setTimeout(wake, 250));
  await page.screenshot({ path: join(shots, `${name}.png`) });
};

/**
 * Takes steps by clicks on the first row. Returns the time of each in milliseconds, from the click until the page has drawn
 * the new state. It is measured in the page, because the protocol of the test costs tens of milliseconds.
 */
async function click(page, count) {
  const times = [];
  for (let i = 0; i < count; i += 1) {
    const step = await at(page);
    await page.waitForSelector("[aria-labelledby=enabled-title] .row");
    times.push(
      await page.evaluate(
        (wanted) =>
          new Promise((done) => {
            const begin = performance.now();
            const look = () => {
              const isThere = document.querySelector("#path-title").textContent.startsWith(`Path (${wanted} of`);
              if (isThere) requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
              else setTimeout(look, 1);
            };
            document.querySelector("[aria-labelledby=enabled-title] .row").click();
            look();
          }),
        step + 1,
      ),
    );
  }
  return times;
}

async function accessible(page, name) {
  // The policy of the page refuses scripts in it, so axe is run by the protocol of the browser.
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const result = await globalThis.axe.run(document, { resultTypes: ["violations", "passes"] });
    const shown = ({ id, impact, nodes }) =>
      `${impact} ${id}: ${nodes
        .slice(0, 3)
        .map((n) => n.html)
        .join(" | ")}`;
    return { violations: result.violations.map(shown), passes: result.passes.length };
  });
  note(`axe, ${name}`, `${found.violations.length} violations, ${found.passes} rules passed`, "0 violations");
  assert.deepEqual(found.violations, [], name);
}

const tests = {
  async "open, steps, back, jump, deep link"() {
    const server = await serve("examples/philosophers.rwb");
    const begin = performance.now();
    const page = await open(server.address);
    note("open philosophers", `${Math.round(performance.now() - begin)} ms`);
    await settle(page);
    await shot(page, "01_threads_light");
    await accessible(page, "threads, light");
    // The first row leads round and round: two philosophers never block each other here.
    for (let i = 0; i < 50; i += 1) {
      const step = await at(page);
      const rows = await page.$$("[aria-labelledby=enabled-title] .row");
      await rows[rows.length - 1].click();
      await reaches(page, step + 1);
    }
    assert.equal(await at(page), 50);
    await press(page, "One step back");
    await reaches(page, 49);
    await page.keyboard.press("Escape");
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("ArrowLeft");
    await reaches(page, 48);
    await page.keyboard.press("Home");
    await reaches(page, 0);
    await page.keyboard.press("End");
    await reaches(page, 50);
    await page.type("input[aria-label='Go to step']", "7\n");
    await reaches(page, 7);
    const values = await text(page, "[aria-labelledby=state-title] .rows");
    const link = page.url();
    assert.match(link, /#path=0\.[\d.-]+&at=7&view=model/);
    const other = await open(link);
    await reaches(other, 7);
    assert.equal(await text(other, "[aria-labelledby=state-title] .rows"), values);
    await other.goBack().catch(() => {});
    await close(other);
    await page.goBack();
    await reaches(page, 50);
    await close(page);
    server.end();
  },

  async "threads that are counted, watched formulas, names that are proposed"() {
    const server = await serve("examples/web_guard_any.rwb");
    const page = await open(server.address);
    await settle(page);
    const counted = () => page.$$eval(".node.current text", (all) => all.map((one) => one.textContent));
    assert.ok((await counted()).includes("threads: 1"), `${await counted()}`);
    await page.type("#watch", "\"Admit.open[0]\" >= 1");
    await press(page, "Watch");
    const watched = () => text(page, ".watches .value");
    await page.waitForFunction(() => document.querySelector(".watches .value")?.textContent === "true");
    await page.type("#watch", "nothing_like_this >= 1");
    await press(page, "Watch");
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".watches .value")].some((one) => one.textContent.includes("nothing_like_this")),
    );
    for (let step = 0; (await watched()) === "true"; step += 1) {
      assert.ok(step < 5, "the first connection is admitted soon");
      const rows = await page.$$("[aria-labelledby=enabled-title] .row");
      const names = await Promise.all(rows.map((row) => row.evaluate((one) => one.textContent)));
      await rows[Math.max(0, names.findIndex((name) => name.includes("syn")))].click();
      await reaches(page, step + 1);
      await settle(page);
    }
    await page.type("#watch", "Admit.op");
    const proposed = await page.$$eval("#watch-names option", (all) => all.map((one) => one.value));
    assert.ok(proposed.includes("Admit.open[1]"), `${proposed}`);
    await shot(page, "09_classes");
    await accessible(page, "classes, watches");
    await close(page);
    server.end();
  },

  async "a check, its violation, exports, the comparison"() {
    const server = await serve("examples/philosophers.rwb");
    const page = await open(server.address);
    const downloads = join(dir, "downloads");
    mkdirSync(downloads, { recursive: true });
    const session = await browser.target().createCDPSession();
    await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads });
    const begin = performance.now();
    await press(page, "Check all");
    await page.waitForSelector(".badge.wrong", { timeout: 60_000 });
    note("check of philosophers, from the page", `${Math.round(performance.now() - begin)} ms`);
    await press(page, "Show the run of deadlock");
    await page.waitForFunction(() => document.querySelector("#enabled-title")?.textContent === "Enabled (0)");
    assert.match(await text(page, "[aria-labelledby=refused-title] .rows"), /blocked by/);
    await shot(page, "02_violation");
    await press(page, "Sequence");
    await page.waitForSelector("svg .step");
    await shot(page, "03_sequence_light");
    await accessible(page, "sequence, light");
    for (const name of ["evidence", "steps", "bppy", "Mermaid", "SVG", "PNG"]) await press(page, name);
    const saved = ["evidence.json", "steps.json", ".py", ".mmd", ".svg", ".png"];
    for (const end of saved) {
      await assert.doesNotReject(async () => {
        for (let i = 0; i < 100 && !readdirSync(downloads).some((n) => n.endsWith(end)); i += 1) {
          await new Promise((wake) => setTimeout(wake, 50));
        }
        if (!readdirSync(downloads).some((n) => n.endsWith(end)))
          throw new Error(`no file *${end}: ${readdirSync(downloads)}`);
      });
    }
    const evidence = join(
      downloads,
      readdirSync(downloads).find((n) => n.endsWith("evidence.json")),
    );
    const replayed = execFileSync(impasse, ["replay", "examples/philosophers.rwb", evidence], {
      cwd: root,
      encoding: "utf8",
    });
    assert.match(replayed, /^ACCEPTED/);
    note("exports", `${saved.length} forms; the evidence is accepted by replay`);
    // The violation beside another run.
    await press(page, "Compare");
    await press(page, "Keep this path for comparison");
    await page.waitForSelector(".compare .rows");
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("Home");
    await reaches(page, 0);
    await page.keyboard.press("ArrowRight");
    await reaches(page, 1);
    await page.keyboard.press("1");
    await reaches(page, 2);
    await press(page, "Compare");
    await page.waitForSelector(".first-difference");
    await shot(page, "04_compare");
    await accessible(page, "compare");
    // The evidence is opened again.
    const input = await page.$("input[type=file]");
    await input.uploadFile(evidence);
    await page.waitForFunction(() => document.querySelector("#enabled-title")?.textContent === "Enabled (0)");
    await press(page, "State graph");
    await page.waitForSelector("svg .state");
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("Home");
    await reaches(page, 0);
    await page.waitForFunction(() => document.querySelectorAll("svg .state").length === 25);
    await shot(page, "05_state_graph");
    await accessible(page, "state graph");
    await press(page, "Threads");
    await page.waitForSelector("svg .node.current");
    await press(page, "Text beside");
    await page.waitForSelector(".beside .row.marked");
    await shot(page, "14_text_beside");
    await accessible(page, "text beside");
    await page.evaluate(() => document.querySelector("#tab-source").click());
    await page.waitForSelector(".source .row.marked");
    await shot(page, "06_text");
    await close(page);
    server.end();
  },

  async "a net with its layout, dark; search and breakpoints"() {
    const server = await serve(
      file("lock.pnml", placed),
      "--ask",
      "safe: AG crit1 + crit2 <= 1",
      "--ask",
      "EF crit2 >= 1",
    );
    const page = await open(server.address, "dark");
    await page.waitForSelector("svg .place");
    await shot(page, "07_net_dark");
    await accessible(page, "net, dark");
    await page.evaluate(() =>
      document.querySelector("svg .transition.on").dispatchEvent(new MouseEvent("click", { bubbles: true })),
    );
    await reaches(page, 1);
    await page.select("[aria-labelledby=tools-title] select", "formula");
    await page.type("#search", "crit2 >= 1");
    await press(page, "Find");
    await page.waitForFunction(() => /Found crit2 >= 1, 2 steps away/.test(document.body.textContent));
    await press(page, "Pause at");
    await press(page, "Run");
    await page.waitForFunction(
      () =>
        /pauses at crit2|The run pauses/.test(document.querySelector("[role=status][aria-live]").textContent) ||
        /Step \d+/.test(document.querySelector("[role=status][aria-live]").textContent),
    );
    await press(page, "Check all");
    await page.waitForFunction(() => document.querySelectorAll(".properties .badge.good").length === 2, {
      timeout: 60_000,
    });
    await shot(page, "08_net_proofs_dark");
    await accessible(page, "net with proofs, dark");
    await close(page);
    server.end();
  },

  async "a model with more than 10^7 states"() {
    const server = await serve(file("many.rwb", many(15)));
    const page = await open(server.address);
    const times = await click(page, 50);
    note("click, 3^15 states, median of 50", `${Math.round(median(times))} ms`, "200 ms");
    note("click, 3^15 states, slowest of 50", `${Math.round(Math.max(...times))} ms`, "");
    assert.ok(median(times) < 200);
    await press(page, "State graph");
    await page.waitForSelector("svg .state");
    const begin = performance.now();
    await page.select(".canvas-tools select", "250");
    await page.waitForFunction(() => document.querySelectorAll("svg .state").length === 250, { timeout: 60_000 });
    note("state graph of 250 states, with layout", `${Math.round(performance.now() - begin)} ms`);
    await page.select("[aria-labelledby=tools-title] select", "event");
    await page.type("#search", "never");
    await press(page, "Find");
    await page.waitForFunction(() => /has reached its limit|cannot be reached/.test(document.body.textContent), {
      timeout: 120_000,
    });
    note("server memory after a search to its limit", `${Math.round(server.memory("VmHWM"))} MB`, "200 MB");
    assert.ok(server.memory("VmHWM") < 200);
    await press(page, "Check all");
    await page.waitForFunction(() => /Checking deadlock: \d/.test(document.body.textContent));
    await press(page, "Stop");
    await page.waitForFunction(() => document.querySelector(".badge.none, .badge.good, .badge.open") !== null, {
      timeout: 30_000,
    });
    note("server memory at the end", `${Math.round(server.memory("VmHWM"))} MB`, "200 MB");
    assert.ok(server.memory("VmHWM") < 200);
    await close(page);
    server.end();
  },

  async "1,000 threads"() {
    const server = await serve(file("ring.rwb", ring(1000)));
    const begin = performance.now();
    const page = await open(server.address);
    await page.waitForSelector("svg .node.current");
    note("open 1,000 threads", `${Math.round(performance.now() - begin)} ms`);
    const times = await click(page, 50);
    note("click, 1,000 threads, median of 50", `${Math.round(median(times))} ms`, "200 ms");
    note("click, 1,000 threads, slowest of 50", `${Math.round(Math.max(...times))} ms`, "");
    assert.ok(median(times) < 200);
    await page.type(".chooser input", "[777]");
    await page.waitForFunction(() => document.querySelectorAll(".chooser .row").length === 1);
    await (await page.$(".chooser .row")).click();
    await page.waitForFunction(() =>
      [...document.querySelectorAll("svg .title")].some((t) => t.textContent.includes("[777]")),
    );
    await shot(page, "09_thousand_threads");
    await accessible(page, "1,000 threads");
    const frozen = await page.evaluate(
      () =>
        new Promise((done) => {
          let [last, worst, left] = [performance.now(), 0, 60];
          document.querySelector("[aria-label='One step back']").click();
          const look = (now) => {
            worst = Math.max(worst, now - last);
            last = now;
            left -= 1;
            if (left === 0) done(worst);
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        }),
    );
    note("longest frame after a step back, 1,000 threads", `${Math.round(frozen)} ms`, "");
    note("server memory, 1,000 threads", `${Math.round(server.memory("VmHWM"))} MB`, "200 MB");
    await close(page);
    server.end();
  },

  async "10,000 places"() {
    const server = await serve(file("grid.pnml", grid(10_000)), "--ask=EF p_0_5 >= 1");
    const begin = performance.now();
    const page = await open(server.address);
    await page.waitForSelector("svg .place", { timeout: 60_000 });
    note("open 10,000 places", `${Math.round(performance.now() - begin)} ms`);
    const times = await click(page, 30);
    note("click, 10,000 places, median of 30", `${Math.round(median(times))} ms`, "200 ms");
    assert.ok(median(times) < 200);
    await page.type(".canvas-tools input[type=search]", "p_77_");
    await page.waitForFunction(() => document.querySelectorAll("svg .found").length > 0, { timeout: 20_000 });
    await shot(page, "10_ten_thousand_places");
    note("server memory, 10,000 places", `${Math.round(server.memory("VmHWM"))} MB`, "200 MB");
    await close(page);
    server.end();
  },

  async "a temporal violation repeats; a circuit asks for its inputs; narrow windows"() {
    const c = await serve("examples/coffee.c", "--properties", "examples/coffee.ltl");
    const page = await open(c.address);
    await press(page, "Check all");
    await page.waitForSelector(".badge.wrong", { timeout: 60_000 });
    await page.evaluate(() =>
      (
        document.querySelector("[aria-label^='Show the run of ltl']") ??
        document.querySelector("[aria-label^='Show the run of']")
      ).click(),
    );
    await press(page, "Sequence");
    await page.waitForSelector("svg .step");
    await shot(page, "11_temporal_violation");
    await accessible(page, "temporal violation");
    await close(page);
    c.end();
    const circuit = await serve("examples/careless_ring.aag");
    const narrow = await open(circuit.address, "dark", 800, 1100);
    await narrow.waitForSelector("[aria-labelledby=enabled-title] .row");
    await shot(narrow, "12_circuit_narrow_dark");
    await accessible(narrow, "circuit, narrow, dark");
    const rows = await narrow.$$("[aria-labelledby=enabled-title] .row");
    await rows[0].click();
    await reaches(narrow, 1);
    await press(narrow, "Help");
    await narrow.waitForSelector("dialog[open]");
    await shot(narrow, "13_help_narrow_dark");
    await accessible(narrow, "help");
    await close(narrow);
    circuit.end();
  },

  async "the keyboard alone"() {
    const server = await serve("examples/philosophers.rwb");
    const page = await open(server.address);
    await settle(page);
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement;
        return element?.getAttribute("aria-label") ?? element?.textContent?.slice(0, 40) ?? "";
      });
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "To the enabled steps");
    await page.keyboard.press("Enter");
    assert.equal(await focused(), "Enabled steps; Enter takes one");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await reaches(page, 1);
    assert.match(await text(page, "[role=status][aria-live]"), /^Step 1: pick\[0\]\[0\]/);
    let seen = 0;
    const labels = new Set();
    for (; seen < 120; seen += 1) {
      await page.keyboard.press("Tab");
      labels.add(await focused());
    }
    for (const wanted of ["Check", "Steps of the path; Enter goes to a step", "Values of the state", "Help"]) {
      assert.ok(
        [...labels].some((label) => label.startsWith(wanted)),
        `${wanted} is not reached by Tab: ${[...labels]}`,
      );
    }
    note("places in the order of the Tab key", `${labels.size}`);
    await close(page);
    server.end();
  },
};

const wanted = option("only", null);
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  if (wanted !== null && !name.includes(wanted)) continue;
  const begin = performance.now();
  try {
    await test();
    console.log(`ok    ${name} (${((performance.now() - begin) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n${error.stack}`);
    for (const page of await browser.pages()) {
      if (page.wrong?.length > 0) console.log(page.wrong);
      if (shots !== null) await page.screenshot({ path: join(shots, `failed_${failed}.png`) }).catch(() => {});
      if (page.url().startsWith("http")) await page.close().catch(() => {});
    }
  }
}
await browser.close();
rmSync(dir, { recursive: true, force: true });
const widths = [0, 1, 2].map((i) => Math.max(...table.map((row) => row[i].length), 4));
for (const row of [["what", "is", "limit"], ...table])
  console.log(
    row
      .map((cell, i) => cell.padEnd(widths[i]))
      .join("  ")
      .trimEnd(),
  );
process.exitCode = failed > 0 ? 1 : 0;
