// Bundles the report's scripts and style into the two halves that every page is put between.
//   node build.mjs NODE_MODULES OUTPUT_FOLDER
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [modules, output] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
// Packages lie in the build tree, so that nothing is ever installed into the source tree.
const esbuild = createRequire(join(modules, "anchor.js"))("esbuild");

const { outputFiles } = await esbuild.build({
  entryPoints: [join(here, "report.js")],
  nodePaths: [modules],
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome100", "firefox100", "safari15"],
  charset: "ascii",
  legalComments: "none",
  write: false,
});
// "</script" inside a string would end the element.
const script = outputFiles[0].text.trim().replaceAll("</script", "<\\/script");
const style = (await esbuild.transform(readFileSync(join(here, "report.css"), "utf8"), { loader: "css", minify: true })).code.trim();
const version = JSON.parse(readFileSync(join(modules, "@observablehq/plot/package.json"), "utf8")).version;

const hash = createHash("sha256").update(script).digest("base64");
// Styles are 'unsafe-inline' because the charts carry their own; nothing else may come from anywhere.
const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`;

mkdirSync(output, { recursive: true });
writeFileSync(
  join(output, "head.html"),
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<style>${style}</style>
`,
);
writeFileSync(
  join(output, "tail.html"),
  `<!-- Charts: Observable Plot ${version} and D3, ISC licence, Copyright Observable, Inc. and Mike Bostock. -->
<script>${script}</script>
</body>
</html>
`,
);
