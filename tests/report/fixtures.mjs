// Results to make pages from, in wavegrade/result/v1: what the grader says in each situation, without running it.
//   node fixtures.mjs FOLDER     writes tail.json, race.json, perfect.json, hostile.json and class/*.json
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const tailSource = `#include <hip/hip_runtime.h>

__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    const int block = 256;
    int blocks = n < block ? 1 : n / block;
    add<<<blocks, block>>>(a, b, c, n);
}
`;

const tiledSource = (second) => `#include <hip/hip_runtime.h>

constexpr int TILE = 32;

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < k; start += TILE) {
        int a_column = start + threadIdx.x;
        int b_row = start + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = row < m && a_column < k ? a[row * k + a_column] : 0.0f;
        b_tile[threadIdx.y][threadIdx.x] = b_row < k && column < n ? b[b_row * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) {
            sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        }${second ? "\n        __syncthreads();" : ""}
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 block(TILE, TILE);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    multiply<<<grid, block>>>(a, b, c, m, n, k);
}
`;

const titles = { vector_add: "Vector addition", matmul: "Matrix multiplication" };

function result(assignment, verdict, sentence, source, more) {
  const file = `${assignment}.hip`;
  return {
    schema: "wavegrade/result/v1", verdict, sentence, seed: "7823126572413954004",
    score: { total: null, maximum: null, assignment_maximum: 0, complete: false, lines: [] },
    findings: [], findings_dropped: 0,
    submission: {
      repository: "https://git.example/lab/submission.git", ref: "main", commit: "4f0c2d9ab1e35f7768bb0a1cd2e9f4a655d01c3e", tree: null,
      commit_time: "2026-11-29T21:14:05Z", path: file, file, is_folder: false,
      source_sha256: createHash("sha256").update(source).digest("hex"), source,
    },
    assignment: { id: assignment, title: titles[assignment], version: 1, digest: "397265014f7b00d18c24ac9f2f1a4e7f" },
    environment: {
      platform: "cpu", device: null, arch: "cpu", warp_size: 64, driver_version: null, runtime_version: null,
      compiler_version: "clang version 19.1.7", cpu: "x86-64", os: "Linux", isolation: "bubblewrap, seccomp", wavegrade_version: "0.1.0",
      date: "2026-11-30T08:00:00Z",
    },
    build: { ok: true, command: `clang++-19 -x hip -O2 -c ${file}`, entry_kind: "launcher", entry_name: assignment, wall_ms: 441, diagnostics: [], log: null },
    correctness: { passed_count: 0, case_count: 0, cases: [] },
    resources: [], timing: [], counters: [], output: null,
    stages: [{ name: "fetch", wall_ms: 310 }, { name: "build", wall_ms: 441 }, { name: "check", wall_ms: 601 }],
    ...more,
  };
}

const line = (id, title, points, maximum, note) => ({ id, title, points, maximum, measured: points !== null, note });

function score(build, correctness, memory, speed, [total_correct, total_speed], notes = []) {
  const lines = [
    line("build", "Compiles and has the entry point", build, 10, notes[0] ?? "compiles"),
    line("correctness", "Right at every size", correctness, total_correct, notes[1] ?? null),
    line("memory", "No memory or synchronization errors", memory, 20, notes[2] ?? "no errors found"),
    line("speed", "Speed against the naive kernel", speed, total_speed, speed === null ? "not measured here: needs a GPU" : (notes[3] ?? null)),
  ];
  const measured = lines.filter((l) => l.measured);
  const sum = (list, name) => list.reduce((all, l) => all + l[name], 0);
  return {
    total: sum(measured, "points"), maximum: sum(measured, "maximum"), assignment_maximum: sum(lines, "maximum"),
    complete: measured.length === lines.length, lines,
  };
}

const right = (dims, elements) => ({
  dims, seed: "7", verdict: "PASS", ran: true, sentence: null, pattern: null, output: null, wrong_count: 0, element_count: elements, first_wrong: null,
  wrong_map: null, error_in_bounds: 0, rms_error_in_limit: 0, wall_ms: 1.2,
});

function correctness(cases) {
  return { passed_count: cases.filter((c) => c.verdict === "PASS").length, case_count: cases.length, cases };
}

// ---- The n = 1000 bug: the grid is rounded down ----

function tail() {
  const sizes = [1000, 1, 2, 31, 63, 100, 127, 255, 256, 257, 997, 1001, 1009, 1023, 1024, 1025, 2999, 4096, 5003, 20011, 65537, 300007];
  const cases = sizes.map((n) => {
    const wrong = n < 256 ? 0 : n % 256;
    if (!wrong) return right({ n }, n);
    const tile = Math.ceil(n / 100);
    const tiles = Math.ceil(n / tile);
    const digits = Array.from({ length: tiles }, (_, i) => {
      const [from, to] = [i * tile, Math.min(n, (i + 1) * tile)];
      return Math.ceil((Math.max(0, to - Math.max(from, n - wrong)) * 9) / (to - from));
    });
    return {
      ...right({ n }, n), verdict: "WRONG_ANSWER", pattern: "unwritten_from", output: "c", wrong_count: wrong,
      sentence: `${wrong} of ${n} elements of c are wrong; the first is c[${n - wrong}]: expected 36.0886803, but it still holds what was there before ` +
        `the call. Everything from c[${n - wrong}] on was never written (the last ${wrong} of ${n} elements): the grid does not reach the end, so round ` +
        "the number of blocks up, (n + block - 1) / block; or the index lacks blockIdx.x * blockDim.x",
      first_wrong: { index: n - wrong, row: null, column: null, expected: 36.0886803, got: null, got_text: "nan" },
      wrong_map: { tile_rows: 1, tile_columns: tile, rows: [digits.join("")] },
    };
  });
  const all = correctness(cases);
  return result("vector_add", "WRONG_ANSWER", `${all.case_count - all.passed_count} of ${all.case_count} cases, for instance n=1000: ${cases[0].sentence}`,
    tailSource, { correctness: all, score: score(10, 50 * (all.passed_count / all.case_count), 20, null, [50, 20], [, `${all.passed_count} of ${all.case_count} cases right`]) });
}

// ---- A race: the second barrier is missing ----

const traffic = (subject, kernel, bytes, segments, shared, barriers, index) => ({
  subject, kernel, file: "matmul.hip", line: null, case: index, launches: 2, threads: 69632, global_loads: bytes / 4, global_stores: 33153,
  global_atomics: 0, global_load_bytes: bytes, global_store_bytes: 132612, global_load_segments: segments, global_store_segments: 3273,
  shared_loads: shared, shared_stores: Math.round(shared / 16), shared_bank_conflicts: shared ? 960 : 0, barriers,
});

const counters = (index) => [
  traffic("student", "multiply(float const*, float const*, float*, int, int, int)", 378504, 8195, 2506752, 78336, index),
  traffic("naive", "matmul_naive", 5569704, 53270, 0, 0, index),
  traffic("tuned", "matmul_tuned", 118944, 6677, 267444, 15360, index),
];

function race() {
  const text = "Two threads of block (0,0,0) meet at b_tile[0] with no barrier between: thread (0,4,0) reads it here and thread (0,0,0) writes it at " +
    "line 15. Put a __syncthreads() between the two.";
  const sizes = [[37, 71, 103], [1, 1, 1], [1, 53, 1], [5, 3, 2], [7, 5, 67], [67, 33, 1], [17, 15, 31], [65, 97, 9], [101, 59, 27], [257, 129, 21]];
  const cases = sizes.map(([m, n, k]) => {
    const dims = { m, n, k };
    if (k <= 32) return right(dims, m * n);
    const tile = [Math.ceil(m / 32), Math.ceil(n / 32)];
    const rows = Array.from({ length: Math.ceil(m / tile[0]) }, (_, y) =>
      Array.from({ length: Math.ceil(n / tile[1]) }, (_, x) => ((y * 7 + x * 3) % 11 < 7 && (n < 32 || x * tile[1] < n - n % 8) ? 3 + ((x + y) % 7) : 0)).join(""));
    return {
      ...right(dims, m * n), verdict: "DATA_RACE", sentence: `line 18 of matmul.hip: ${text}`, output: "c", wrong_count: Math.round(m * n * 0.4),
      first_wrong: { index: 1, row: 0, column: 1, expected: 4.84347868, got: 5.19953632 }, wrong_map: { tile_rows: tile[0], tile_columns: tile[1], rows },
    };
  });
  return result("matmul", "DATA_RACE", `matmul.hip:18: ${text}`, tiledSource(false), {
    findings: [{
      kind: "DATA_RACE", detail: null, severity: "error", file: "matmul.hip", line: 18, column: 45, function: "multiply", block: [0, 0, 0], thread: [0, 4, 0],
      kernel: "multiply(float const*, float const*, float*, int, int, int)", buffer: "b_tile", element: 0, element_count: 1024, access: "read",
      other: { file: "matmul.hip", line: 15, column: 42, function: "multiply", block: [0, 0, 0], thread: [0, 0, 0], access: "write" },
      occurrences: 1003968, case: 0, text,
    }],
    correctness: correctness(cases), counters: counters(9),
    score: score(10, 32, 0, null, [40, 30], [, "8 of 10 cases right", "1 error found"]),
  });
}

// ---- A perfect score on a GPU: matmul at n = 1024 and the copy are an H200's, the other sizes follow their shape ----

function timing([m, n, k], naive, own, tuned, blas) {
  const [flops, bytes] = [2 * m * n * k, 4 * (m * k + k * n + m * n)];
  const statistics = (median) => {
    const samples_ms = Array.from({ length: 30 }, (_, i) => median * (1 + 0.004 * Math.sin(i * 2.4)));
    return { warmup_count: 6, repeat_count: 30, median_ms: median, mean_ms: median * 1.0004, min_ms: median * 0.996, stddev_ms: median * 0.0028, samples_ms };
  };
  const blas_gflops = flops / blas / 1e6;
  return {
    dims: { m, n, k }, emulated: false, scored: true, suspect: false, note: null, student: statistics(own), baseline: statistics(naive),
    speedup: { ratio: naive / own, low_95: (naive / own) * 0.997, high_95: (naive / own) * 1.003, method: "percentile bootstrap of the ratio of medians, 2000 resamples" },
    bandwidth_median_gb_s: bytes / own / 1e6, bandwidth_max_gb_s: bytes / own / 0.996e6, gflops_median: flops / own / 1e6, gflops_max: flops / own / 0.996e6,
    launch_floor_ms: 0.0035, copy_gb_s: 4193, blas_gflops, blas: "cuBLAS", ceiling_ms: blas, ceiling_share: blas / own, tuned_share: tuned / own,
    stopped_by: "interval", baseline_drift: 0.001, checked_calls: 36,
  };
}

const resources = {
  platform: "nvidia", arch: "sm_90", kernel: "multiply", file: "matmul.hip", line: 5, wave_threads: 32, registers: 38, accumulation_registers: null,
  scalar_registers: null, spilled_registers: 0, spilled_scalar_registers: null, spilled_bytes: 0, scratch_bytes: 0, shared_bytes: 8192,
  block_threads_limit: 1024, occupancy: { block_threads: 1024, waves: 32, waves_limit: 64, unit: "SM", limited_by: "registers" },
  words: "38 registers a thread and 8192 bytes of shared memory a block: one block of 1024 threads fits on an SM where two could; fewer registers or smaller blocks would let more waves hide the memory's latency.",
};

function perfect() {
  const sizes = [[37, 71, 103], [1, 1, 1], [1, 53, 1], [5, 3, 2], [17, 15, 31], [257, 129, 21], [131, 262, 519]];
  const base = result("matmul", "PASS", "Right at every size, 4.2 times as fast as the naive kernel.", tiledSource(true), {
    correctness: correctness(sizes.map(([m, n, k]) => right({ m, n, k }, m * n))), counters: counters(5), resources: [resources],
    timing: [
      timing([512, 512, 512], 0.0632, 0.0181, 0.0204, 0.0127), timing([1024, 1024, 1024], 0.426, 0.101, 0.118, 0.0635),
      timing([2048, 2048, 2048], 3.17, 0.728, 0.861, 0.36), timing([2047, 1601, 1021], 1.27, 0.322, 0.381, 0.158),
      timing([4096, 4096, 4096], 25.1, 5.71, 6.62, 2.71),
    ],
    score: score(10, 40, 20, 30, [40, 30], [, "7 of 7 cases right", , "4.2 times as fast as naive (geometric mean of 5 sizes)"]),
  });
  base.environment = {
    ...base.environment, platform: "nvidia", device: "NVIDIA H200", arch: "sm_90", warp_size: 32, driver_version: "13.0", runtime_version: "13.0",
    compiler_version: "nvcc 13.0",
  };
  return base;
}

// ---- A student who would like to run something in the reader's browser ----

export const poison = `"'><script>window.owned=1</script><img src=x onerror=window.owned=1>\`</title></style>\u202e`;

function hostile() {
  const base = race();
  base.sentence = `matmul.hip${poison}:18: ${poison}`;
  base.submission = { ...base.submission, repository: `javascript:window.owned=1//${poison}`, ref: poison, path: poison,
    source: `// ${poison} </code></script>\n${base.submission.source}` };
  base.assignment = { ...base.assignment, title: poison, id: poison };
  base.environment = { ...base.environment, device: poison, arch: poison, compiler_version: poison, cpu: poison, os: poison, isolation: poison };
  base.build = { ...base.build, command: poison, entry_name: poison, log: poison,
    diagnostics: [{ file: poison, line: 1, column: 1, severity: "warning", message: poison },
                  { file: "matmul.hip", line: 3, column: 1, severity: "warning", message: poison }] };
  base.findings = [...base.findings, { ...base.findings[0], kind: "</script><script>window.owned=1</script>", kernel: poison, buffer: poison, text: poison, file: poison }];
  base.correctness.cases = base.correctness.cases.map((c) => ({ ...c, dims: { [poison.slice(0, 60)]: 5, n: 3 }, sentence: poison, output: poison, pattern: poison }));
  base.counters = base.counters.map((c) => ({ ...c, kernel: poison, file: poison }));
  base.counters.push({ ...base.counters[0], line: 7 });
  base.resources = [{ ...resources, kernel: poison, arch: poison, words: poison }];
  base.timing = perfect().timing.map((t) => ({ ...t, dims: { [poison.slice(0, 60)]: t.dims.m, n: 1 }, note: poison, blas: poison }));
  base.score.lines = base.score.lines.map((l) => ({ ...l, title: poison, note: poison }));
  base.output = poison;
  base.stages = [{ name: poison, wall_ms: 1 }];
  return base;
}

// ---- A class: the same every time ----

function* numbers(seed) {
  for (let x = seed; ; ) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    yield x / 2 ** 32;
  }
}

const kinds = [["WRONG_ANSWER", 38], ["OUT_OF_BOUNDS", 27], ["DATA_RACE", 24], ["BUILD_ERROR", 11], ["UNINITIALIZED_READ", 7], ["BARRIER_DIVERGENCE", 5],
  ["TIMEOUT", 5], ["MISSING_FILE", 4], ["CRASH", 3], ["TIMING_SUSPECT", 2], ["GRADER_ERROR", 2]];

function classOf(count) {
  const random = numbers(11);
  const next = () => random.next().value;
  const failures = kinds.flatMap(([kind, many]) => Array(many).fill(kind));
  return Array.from({ length: count }, (_, i) => {
    const base = perfect();
    const failed = next() < failures.length / 300;
    const verdict = failed ? failures[Math.floor(next() * failures.length)] : "PASS";
    const own = 0.6 + 3.9 * next() ** 1.6;
    base.submission.source += `// ${i}\n`;
    base.verdict = verdict;
    base.environment.date = new Date(Date.UTC(2026, 10, 30, 8, 0, i * 11)).toISOString().replace(".000", "");
    if (verdict === "PASS") {
      base.timing = [timing([1024, 1024, 1024], 0.426, 0.426 / own, 0.118, 0.0635)];
      base.score = score(10, 40, 20, Math.round(30 * Math.min(1, own / 4)), [40, 30], [, "7 of 7 cases right"]);
      return [`s${String(i + 1).padStart(4, "0")}`, base];
    }
    const builds = !["BUILD_ERROR", "MISSING_FILE"].includes(verdict);
    base.sentence = "See the findings.";
    base.timing = [];
    base.resources = [];
    base.counters = [];
    base.score = verdict === "GRADER_ERROR" ? base.score : score(builds ? 10 : 0, builds ? Math.round(40 * next()) : 0, builds && next() < 0.5 ? 20 : 0, null, [40, 30]);
    return [`s${String(i + 1).padStart(4, "0")}`, base];
  });
}

export function writeAll(folder) {
  mkdirSync(join(folder, "class"), { recursive: true });
  const write = (name, value) => writeFileSync(join(folder, name), JSON.stringify(value));
  for (const [name, value] of Object.entries({ tail: tail(), race: race(), perfect: perfect(), hostile: hostile() })) write(`${name}.json`, value);
  for (const [student, value] of classOf(300)) write(`class/${student}.json`, value);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) writeAll(process.argv[2]);
