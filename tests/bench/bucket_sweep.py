#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bucket sizes: two data-parallel ranks at full speed, gradients averaged behind the backward; medians over rounds.

usage: tests/bench/bucket_sweep.py [build/bin] [rounds] [steps]

One pass of the sweep after another, so that a slow minute touches every size alike. Size 0 is one reduction of all
gradients after the backward, of which nothing is hidden: its time is that of its spans.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

programs = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin")
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
steps = sys.argv[3] if len(sys.argv) > 3 else "12"
SIZES = (0, 0.5, 1, 2, 4, 8, 25)  # MB; the gradients are 25.6 MB in 8 layers of 3.15 MB


def shardlab(*arguments):
    return subprocess.run([programs / "shardlab", *arguments], check=True, capture_output=True, text=True).stdout


def measure(size, folder):
    layout = {
        "name": f"bucket {size}",
        "model": {"kind": "gpt", "layers": 8, "hidden": 256, "heads": 4, "sequence": 256, "vocabulary": 256},
        "cluster": {"hosts": [{"name": "localhost", "devices": 2}]},
        "parallel": {"data": 2, "pipeline": 1, "bucket": size},
        "batch": {"global": 8, "micro": 4},
        "run": {"validate_every": 0},
    }
    file, run = folder / "bench.layout.json", folder / "bench.shardlab"
    file.write_text(json.dumps(layout))
    answer = json.loads(shardlab("run", file, "--steps", steps, "--out", run, "--force", "--json"))
    step, moved = answer["step_seconds"]["measured"], answer["data_communication_seconds"]
    if moved is None:
        spans = json.loads(shardlab("query", run, "--json", "SELECT sum(duration_ns) / 1e9 / count(DISTINCT rank) / "
                                    "count(DISTINCT step) AS seconds FROM events WHERE source = 'measured' AND "
                                    "step >= 2 AND kind = 'reduce gradients'"))
        moved = {"hidden": 0.0, "exposed": spans[0]["seconds"]}
    return step, moved["hidden"], moved["exposed"]


with tempfile.TemporaryDirectory() as name:
    measured = {size: [] for size in SIZES}
    for _ in range(rounds):
        for size in SIZES:
            measured[size].append(measure(size, pathlib.Path(name)))
    print("| bucket | step | hidden | exposed | of the step |")
    print("|---|---|---|---|---|")
    for size, rows in measured.items():
        step, hidden, exposed = (statistics.median(column) for column in zip(*rows))
        print(f"| {f'{size} MB' if size else 'none'} | {step * 1e3:.0f} ms | {hidden * 1e3:.1f} ms | "
              f"{exposed * 1e3:.1f} ms | {statistics.median(e / s for s, _, e in rows):.1%} |")
