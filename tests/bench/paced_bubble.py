#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Paced runs against simulator and theory: GPipe and 1F1B, p = 2, 4, 8, m = 4, 8, 16, under Open MPI.

usage: tests/bench/paced_bubble.py [build/bin] [steps]

Equal stages (64 thin layers, small vocabulary), one step of 2 s for 16 microbatches. Prints one row a run; steady steps.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

programs = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin")
steps = sys.argv[2] if len(sys.argv) > 2 else "8"


def measure(kind, stages, microbatches, folder):
    layout = {
        "name": f"{kind} p={stages} m={microbatches}",
        "model": {"kind": "gpt", "layers": 64, "hidden": 48, "heads": 4, "sequence": 32, "vocabulary": 256},
        "cluster": {"hosts": [{"name": "localhost", "devices": stages}],
                    "pace": {"device": "h100-sxm", "step_seconds": 2.0 if microbatches > 8 else 1.0}},
        "parallel": {"data": 1, "pipeline": stages},
        "schedule": {"kind": kind},
        "batch": {"global": microbatches, "micro": 1},
        "run": {"validate_every": 0},
    }
    file = folder / "bench.layout.json"
    file.write_text(json.dumps(layout))
    answer = subprocess.run([programs / "shardlab", "run", file, "--steps", steps, "--out", folder / "bench.shardlab",
                             "--force", "--json"], check=True, capture_output=True)
    return json.loads(answer.stdout)


with tempfile.TemporaryDirectory() as name:
    print("| schedule | p | m | bubble measured | simulated | (p−1)/(m+p−1) | step measured | simulated |")
    print("|---|---|---|---|---|---|---|---|")
    for kind in ("gpipe", "1f1b"):
        for stages in (2, 4, 8):
            for microbatches in (4, 8, 16):
                run = measure(kind, stages, microbatches, pathlib.Path(name))
                bubble, step = run["bubble"], run["step_seconds"]
                print(f"| {kind} | {stages} | {microbatches} | {bubble['measured']:.1%} | {bubble['predicted']:.1%} | "
                      f"{bubble['theory']:.1%} | {step['measured']:.3f} s | {step['predicted']:.3f} s |", flush=True)
