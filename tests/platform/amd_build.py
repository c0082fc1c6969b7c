"""amd_build.py WAVEGRADE SCHEMA SAMPLES: compile-only runs of the program for AMD GPUs, as JSON that fits the schema."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import jsonschema

WAVEGRADE, SCHEMA, SAMPLES = sys.argv[1:]
ARCHES = ["gfx90a", "gfx942", "gfx1100", "gfx1201"]


def run(*words):
    return subprocess.run([WAVEGRADE, *words], capture_output=True, text=True, check=False)


def build(status, *words):
    ran = run("build", *words, "--platform", "amd", "--format", "json")
    assert ran.returncode == status, (words, ran)
    result = json.loads(ran.stdout)
    jsonschema.Draft202012Validator(json.load(open(SCHEMA, encoding="utf-8"))).validate(result)
    return result


def good_kernels(folder):
    shutil.copy(os.path.join(SAMPLES, "good_matmul.hip"), os.path.join(folder, "matmul.hip"))
    result = build(0, folder, "--arch", ",".join(ARCHES))
    assert result["verdict"] == "PASS" and result["assignment"]["id"] == "matmul"
    assert result["build"]["entry_kind"] == "launcher"
    assert [kernel["arch"] for kernel in result["resources"]] == ARCHES
    for kernel in result["resources"]:
        assert kernel["platform"] == "amd" and kernel["shared_bytes"] == 2048, kernel
        assert kernel["spilled_registers"] == 0 and "no spills" in kernel["words"], kernel
        assert kernel["wave_threads"] == (64 if kernel["arch"].startswith("gfx9") else 32)
        assert 0 < kernel["occupancy"]["waves"] <= kernel["occupancy"]["waves_limit"]


def file_of_no_assignment(folder):
    path = os.path.join(folder, "saxpy.hip")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#include <hip/hip_runtime.h>\n"
                   "template <int N> __global__ void saxpy(float a, const float* x, float* y) {\n"
                   "    int i = N * (blockIdx.x * blockDim.x + threadIdx.x);\n"
                   "    for (int k = 0; k < N; k++) y[i + k] += a * x[i + k];\n}\n"
                   "template __global__ void saxpy<4>(float, const float*, float*);\n")
    result = build(0, path)
    assert result["assignment"]["id"] is None and result["build"]["entry_kind"] is None
    assert {(kernel["kernel"], kernel["line"]) for kernel in result["resources"]} == {("saxpy<4>", 2)}


def refusals():
    broken = os.path.join(SAMPLES, "does_not_compile.hip")
    result = build(1, broken, "--assignment", "vector_add")
    assert result["verdict"] == "BUILD_ERROR" and result["resources"] == [], result
    assert result["build"]["diagnostics"][0]["line"] > 0
    for arch, lines in [("gfx9zz", 1), ("sm_90", 1), ("", 2)]:
        ran = run("build", broken, "--platform", "amd", "--arch", arch)
        assert ran.returncode == 64 and ran.stderr.count("\n") == lines and not ran.stdout, ran


def no_device(folder):
    if os.path.exists("/dev/kfd"):
        return
    ran = run("grade", "--dir", folder, "--platform", "amd")
    assert ran.returncode == 2 and ran.stderr.count("\n") == 1 and not ran.stdout, ran
    assert "no AMD GPU" in ran.stderr


def facts_of_a_grading(folder):
    ran = run("grade", "--dir", folder, "--platform", "cpu", "--no-timing", "--no-checked", "--format", "json")
    result = json.loads(ran.stdout)
    assert ran.returncode == 0 and [kernel["platform"] for kernel in result["resources"]] == ["amd"], result


with tempfile.TemporaryDirectory() as place:
    good_kernels(place)
    no_device(place)
    facts_of_a_grading(place)
    file_of_no_assignment(place)
refusals()
