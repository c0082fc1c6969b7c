// validate.mjs SOURCE: GitHub's and Docker's files by their validators; each validator is shown to refuse something, too.
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join} from "node:path";

const [packages, source] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const {validateAction, validateWorkflow} = await import(require.resolve("@action-validator/core"));
const {validate, ValidationSeverity} = require("dockerfile-utils");
let failed = 0;

function report(name, problems) {
  for (const problem of problems) console.error(`${name}: ${problem}`);
  failed += problems.length;
}

const errors = (state) => state.errors.map((error) => `${error.path ?? ""} ${error.title}: ${JSON.stringify(error.states ?? error.detail ?? "")}`);
const read = (name) => readFileSync(join(source, name), "utf8");
const filled = (name) => read(name).replace("@action@", "courses/wavegrade@v1").replace("@matrix@", "          - { folder: matmul, assignment: matmul }");

const action = read("action.yml");
report("action.yml", errors(validateAction(action)));
const workflow = filled("grader/scaffold/templates/course/.github/workflows/wavegrade.yml");
report("wavegrade.yml", errors(validateWorkflow(workflow)));

// What a repository says (inputs, names of branches) must not become part of a script.
for (const [name, text] of [["action.yml", action], ["wavegrade.yml", workflow]]) {
  const scripts = text.split("\n").filter((line) => /^\s*(run:|[^#:]*"\$)/.test(line));
  report(name, scripts.filter((line) => line.includes("${{")).map((line) => `an expression in a script: ${line.trim()}`));
}

const docker = {deprecatedMaintainer: ValidationSeverity.ERROR, directiveCasing: ValidationSeverity.ERROR,
  emptyContinuationLine: ValidationSeverity.ERROR, instructionCasing: ValidationSeverity.ERROR,
  instructionCmdMultiple: ValidationSeverity.ERROR, instructionEntrypointMultiple: ValidationSeverity.ERROR,
  instructionHealthcheckMultiple: ValidationSeverity.ERROR, instructionJSONInSingleQuotes: ValidationSeverity.ERROR,
  instructionWorkdirRelative: ValidationSeverity.ERROR};
const problemsOf = (text) => validate(text, docker).map((problem) => `line ${problem.range.start.line + 1}: ${problem.message}`);
for (const name of ["scripts/ci/Dockerfile", "scripts/ci/Dockerfile.rocm"]) report(name, problemsOf(read(name)));

const refused = [
  ["an action without shell", errors(validateAction(action.replace(/^ *shell: bash\n/m, "")))],
  ["a workflow without runner", errors(validateWorkflow(workflow.replace(/^ *runs-on: .*\n/m, "")))],
  ["a Dockerfile with an unknown instruction", problemsOf("FROM debian:12\nRUNN true\n")],
];
for (const [what, problems] of refused) if (problems.length === 0) report(what, ["was taken"]);
if (failed) process.exit(1);
console.log("action.yml, the workflow and both Dockerfiles are well-formed");
