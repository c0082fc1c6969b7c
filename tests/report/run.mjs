// node run.mjs PROGRAM NODE_MODULES CHROMIUM WORK_FOLDER
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { poison, writeAll } from "./fixtures.mjs";

const [program, modules, executablePath, work] = process.argv.slice(2);
const require = createRequire(join(modules, "anchor.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const results = join(work, "results");
const pages = join(work, "pages");
const shots = join(work, "screenshots");
const singles = ["tail", "race", "perfect", "hostile"];
const file = Object.fromEntries(singles.map((name) => [name, join(pages, `${name}.html`)]));
file.class = join(pages, "class/index.html");
file.member = join(pages, "class/students/s0002.html");
file.anonymous = join(pages, "anonymous/index.html");

const wide = { width: 1200, height: 900 };
const narrow = { width: 390, height: 844 };
let browser, profile;

before(async () => {
  for (const folder of [results, pages, shots]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  writeAll(results);
  const report = (...args) => execFileSync(program, ["report", ...args]);
  for (const name of singles) report(join(results, `${name}.json`), "-o", file[name]);
  report(join(results, "class"), "-o", join(pages, "class"));
  report(join(results, "class"), "-o", join(pages, "anonymous"), "--anonymous");
  profile = mkdtempSync(join(tmpdir(), "wavegrade-report-"));
  browser = await chromium.launchPersistentContext(profile, {
    executablePath,
    viewport: wide,
    bypassCSP: false,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
});

after(async () => {
  await browser?.close();
  if (profile) rmSync(profile, { recursive: true, force: true });
});

// A page with everything that a quiet page must not do.
async function open(path, { viewport = wide, colorScheme = "light" } = {}) {
  const page = await browser.newPage();
  const noise = [];
  page.on("console", (message) => noise.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (url !== pathToFileURL(path).href && !url.startsWith("data:")) noise.push(`request: ${url}`);
  });
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
  await page.goto(pathToFileURL(path).href);
  return { page, noise };
}

async function within(path, options, look) {
  const { page, noise } = await open(path, options);
  try {
    await look(page);
    assert.deepEqual(noise, []);
  } finally {
    await page.close();
  }
}

const texts = (page, selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent.trim()));
const visibleRows = (page) => page.$$eval("#students tbody tr:not([hidden])", (rows) => rows.map((row) => row.cells[0].textContent.trim()));

test("every page is quiet, fits a phone and is small", async () => {
  for (const [name, path] of Object.entries(file)) {
    const looks = [[narrow, "dark"], [wide, "light"]];
    // What differs from another page in its words alone is looked at once.
    for (const [viewport, colorScheme] of looks.slice(0, ["hostile", "member", "anonymous"].includes(name) ? 1 : 2)) {
      await within(path, { viewport, colorScheme }, async (page) => {
        const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(content <= window, `${name} is ${content} wide in a window of ${window}`);
        await page.screenshot({ path: join(shots, `${name}-${viewport.width}-${colorScheme}.png`), fullPage: name !== "class" && name !== "anonymous" });
      });
    }
    assert.ok(statSync(path).size < 600_000, `${name} has ${statSync(path).size} bytes`);
  }
});

test("charts are drawn and named", async () => {
  const charts = async (page) =>
    page.$$eval("figure[data-chart]", (all) =>
      all.map((one) => {
        const svg = one.querySelector("svg");
        return [one.dataset.chart, !one.hidden, svg?.getAttribute("role"), Boolean(svg?.getAttribute("aria-label")), svg?.querySelectorAll("path, rect, line").length > 3];
      }));
  for (const [name, expected] of [["tail", ["map", "map"]], ["race", ["map", "map", "traffic"]], ["perfect", ["time", "bandwidth", "roofline", "traffic"]],
    ["class", ["scores", "speedups", "verdicts"]]]) {
    await within(file[name], {}, async (page) => {
      assert.deepEqual(await charts(page), expected.map((chart) => [chart, true, "img", true, true]), name);
    });
  }
});

test("the map shows where the tail is", async () => {
  await within(file.tail, {}, async (page) => {
    // 232 of 1000 elements from 768 on, ten a square: 23 squares and a part of one.
    const fills = await page.$$eval('figure[data-case="0"] [data-mark="cell"] rect', (all) => all.map((one) => one.getAttribute("fill")));
    assert.equal(fills.length, 100);
    assert.deepEqual([...new Set(fills.slice(0, 76))], ["var(--right)"]);
    assert.deepEqual([...new Set(fills.slice(76))], ["var(--bad)"]);
  });
});

test("a chart follows the width of the window", async () => {
  await within(file.perfect, {}, async (page) => {
    const width = () => page.$eval('figure[data-chart="time"] svg', (svg) => Number(svg.getAttribute("width")));
    const first = await width();
    await page.setViewportSize(narrow);
    await page.waitForFunction((was) => Number(document.querySelector('figure[data-chart="time"] svg').getAttribute("width")) < was, first);
  });
});

test("the finding stands beside its line", async () => {
  await within(file.race, {}, async (page) => {
    assert.match(await page.textContent("#L18 > code"), /sum \+= a_tile/);
    assert.equal(await page.textContent("#L18 mark"), "b_tile[i][threadIdx.x]");
    assert.match(await page.textContent("#L18 .note"), /Two threads of block .* meet at b_tile\[0\]/);
    assert.match(await page.textContent("#L15 .note"), /writes b_tile\[0\]/);
    await page.click(".sentence a");
    await page.waitForFunction(() => {
      const { top } = document.getElementById("L18").getBoundingClientRect();
      return top >= 0 && top < innerHeight;
    });
  });
});

test("what was not measured is said, not drawn", async () => {
  await within(file.race, {}, async (page) => {
    assert.match(await page.textContent("#speed + .empty"), /Not measured/);
    assert.equal(await page.$('figure[data-chart="time"]'), null);
  });
});

test("the class sorts, and what is not known comes last", async () => {
  await within(file.class, {}, async (page) => {
    const head = page.locator("#students thead th", { hasText: "Speedup" });
    const values = () => page.$$eval("#students tbody tr", (rows) => rows.map((row) => row.cells[3].dataset.value));
    for (const [direction, sign] of [["descending", -1], ["ascending", 1]]) {
      await head.locator("button").click();
      assert.equal(await head.getAttribute("aria-sort"), direction);
      const all = await values();
      const known = all.filter((v) => v !== "").map(Number);
      assert.equal(all.length, 300);
      assert.ok(known.length > 100 && known.length < 300);
      assert.ok(all.slice(known.length).every((v) => v === ""));
      assert.deepEqual(known, [...known].sort((a, b) => sign * (a - b)));
    }
    await page.locator("#students thead th button", { hasText: "Student" }).click();
    assert.equal((await visibleRows(page))[0], "s0001");
    assert.equal(await page.locator("th[aria-sort]").count(), 1);
  });
});

test("the class filters", async () => {
  await within(file.class, {}, async (page) => {
    await page.selectOption("select[name=verdict]", "DATA_RACE");
    const rows = await page.$$eval("#students tbody tr:not([hidden])", (all) => all.map((row) => row.dataset.verdict));
    assert.ok(rows.length > 3 && rows.every((verdict) => verdict === "DATA_RACE"));
    assert.equal(await page.textContent("[role=status]"), `${rows.length} of 300 shown`);
    await page.click("button[type=reset]");
    await page.waitForFunction(() => document.querySelector("[role=status]").textContent === "300 shown");
    await page.fill("input[name=text]", "S0123");
    assert.deepEqual(await visibleRows(page), ["s0123"]);
    await page.click("#students a:visible");
    assert.match(await page.title(), /s0123/);
    await page.click("text=The whole class");
    assert.equal(await page.title(), "Matrix multiplication");
  }).catch((error) => {
    // Following links is the one thing that asks for another file.
    if (!/request: file:/.test(String(error.message))) throw error;
  });
});

test("everything can be reached and used with the keyboard", async () => {
  await within(file.class, {}, async (page) => {
    const focused = () => page.evaluate(() => {
      const one = document.activeElement;
      return { text: one.textContent.trim().slice(0, 40), name: one.getAttribute("name"), tag: one.tagName, outline: getComputedStyle(one).outlineStyle };
    });
    await page.keyboard.press("Tab");
    assert.equal((await focused()).text, "Skip to the result");
    const seen = [];
    for (let i = 0; i < 14; i++) {
      await page.keyboard.press("Tab");
      const now = await focused();
      assert.notEqual(now.outline, "none", `${now.tag} ${now.text} shows no focus`);
      seen.push(now.name ?? now.text);
    }
    for (const wanted of ["text", "verdict", "Show all", "Student", "Points", "To look at", "s0001"]) assert.ok(seen.includes(wanted), `${wanted} in ${seen}`);
    await page.locator("#students thead th button", { hasText: "Points" }).focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#students thead th", { hasText: "Points" }).getAttribute("aria-sort"), "descending");
  });
});

test("axe finds nothing, in light and in dark", async () => {
  for (const [name, colorScheme] of [["tail", "light"], ["race", "dark"], ["race", "light"], ["perfect", "light"], ["perfect", "dark"], ["class", "light"], ["class", "dark"]]) {
    await within(file[name], { colorScheme }, async (page) => {
      // Folded parts are read, too; most rows of the class are alike.
      await page.evaluate(() => {
        for (const one of document.querySelectorAll("details")) one.open = true;
        for (const row of [...document.querySelectorAll("#students tbody tr")].slice(40)) row.remove();
      });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      const told = violations.map((v) => `${v.id}: ${v.nodes.length} times, ${v.nodes[0].html.slice(0, 160)} ${v.nodes[0].failureSummary}`);
      assert.deepEqual(told, [], `${name} ${colorScheme}`);
    });
  }
});

test("hostile text stays text", async () => {
  await within(file.hostile, {}, async (page) => {
    await page.waitForTimeout(200);
    assert.equal(await page.evaluate(() => window.owned), undefined);
    assert.deepEqual(await page.$$eval("script", (all) => all.map((one) => one.type)), ["application/json", ""]);
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(await page.$$eval("a", (all) => all.map((a) => a.getAttribute("href")).filter((href) => !href.startsWith("#"))), []);
    assert.deepEqual(await page.$$eval("*", (all) => all.flatMap((one) => [...one.attributes].filter((a) => a.name.startsWith("on")).map((a) => a.name))), []);
    const shown = await page.textContent(".task");
    assert.ok(shown.includes("<script>window.owned=1</script>") && shown.includes("\\u{202e}"), shown);
    assert.ok(!(await page.content()).includes(poison.at(-1)), "a bidirectional override is in the page");
  });
});

test("hostile ids stay text in the class", async () => {
  const id = `s1"><img src=x onerror=window.owned=1><script>window.owned=1<`;
  const folder = join(work, "hostile-class");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, from] of [[id, "hostile"], [`${id}'`, "tail"]]) copyFileSync(join(results, `${from}.json`), join(folder, `${name}.json`));
  execFileSync(program, ["report", folder, "-o", join(pages, "hostile-class"), "--title", `${id}</title>`]);
  await within(join(pages, "hostile-class/index.html"), {}, async (page) => {
    assert.equal(await page.evaluate(() => window.owned), undefined);
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual((await visibleRows(page)).sort(), [id, `${id}'`].sort());
    assert.match(await page.getAttribute("#students tbody a", "href"), /^students\/[-.\w]+\.html$/);
  });
});

test("the policy stops scripts that are not the page's own", async () => {
  const { page } = await open(file.perfect);
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.owned = 1";
    document.head.append(script);
    document.body.insertAdjacentHTML("beforeend", "<b id=x onclick='window.owned = 1'></b>");
    document.getElementById("x").click();
    return window.owned;
  });
  assert.equal(ran, undefined);
  assert.match(await page.getAttribute("meta[http-equiv]", "content"), /^default-src 'none'; script-src 'sha256-[^']+';/);
  await page.close();
});

test("an anonymous class names nobody", async () => {
  await within(file.anonymous, {}, async (page) => {
    const html = await page.content();
    assert.ok(!/s0\d\d\d|git\.example/.test(html));
    assert.equal((await visibleRows(page)).length, 300);
  });
  const one = readFileSync(join(pages, "anonymous/students/001.html"), "utf8");
  assert.ok(!/s0\d\d\d|git\.example|4f0c2d9ab1|\/\/ \d+\n/.test(one.replace(/<script>[^]*$/, "")));
  assert.match(one, /student 1/);
});

test("pages print, in ink on white", async () => {
  for (const name of ["race", "perfect"]) {
    await within(file[name], { colorScheme: "dark" }, async (page) => {
      const pdf = await page.pdf({ format: "A4" });
      assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
      assert.ok(pdf.length > 20_000, `${name}: ${pdf.length}`);
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), "rgb(255, 255, 255)");
      assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).color), "rgb(27, 28, 31)");
    });
  }
});

test("a page can be read without JavaScript", () => {
  // What the program wrote, before any script ran.
  const html = readFileSync(file.race, "utf8");
  for (const words of ['<h1 id="verdict">', "Data race", "Two threads of block (0,0,0) meet at", "sum += a_tile", "Right at every size", "2,627"]) {
    assert.ok(html.includes(words), words);
  }
  for (const [figure] of html.matchAll(/<figure[^>]*>/g)) assert.match(figure, / hidden /);
  assert.match(readFileSync(file.class, "utf8"), /<form class="filter" data-filters="students" hidden>/);
});

test("a build without npm says what is missing", () => {
  const prefix = join(work, "without-npm");
  for (const folder of ["libexec/wavegrade", "share/wavegrade"]) mkdirSync(join(prefix, folder), { recursive: true });
  copyFileSync(program, join(prefix, "wavegrade"));
  const { status, stderr } = spawnSync(join(prefix, "wavegrade"), ["report", join(results, "tail.json")], { encoding: "utf8" });
  assert.equal(status, 2);
  assert.match(stderr, /no npm when wavegrade was built .* Install nodejs and npm/);
});
