#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two data-parallel ranks against one rank at full speed: one held to one core, and one with the whole machine; medians.

usage: tests/bench/data_parallel_speedup.py [build/bin] [rounds]
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

programs = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin")
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3


def tokens_per_second(ranks, folder, one_core):
    layout = {
        "name": f"data {ranks}",
        "model": {"kind": "gpt", "layers": 4, "hidden": 128, "heads": 4, "sequence": 128, "vocabulary": 256},
        "cluster": {"hosts": [{"name": "localhost", "devices": ranks}]},
        "parallel": {"data": ranks, "pipeline": 1},
        "batch": {"global": 16, "micro": 8},
        "run": {"steps": 60, "validate_every": 0},
    }
    file = folder / "bench.layout.json"
    file.write_text(json.dumps(layout))
    command = [programs / "shardlab", "run", file, "--out", folder / "bench.shardlab", "--force", "--json"]
    # On one core the rank's thread shares it with mpirun, the collector and its own telemetry.
    answer = subprocess.run((["taskset", "-c", "0"] if one_core else []) + command, check=True, capture_output=True)
    return json.loads(answer.stdout)["tokens_per_second"]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    held, whole, two = [], [], []
    for _ in range(rounds):
        held.append(tokens_per_second(1, folder, True))
        whole.append(tokens_per_second(1, folder, False))
        two.append(tokens_per_second(2, folder, False))
    print("| ranks | tokens/s | 2 ranks are faster by |")
    print("|---|---|---|")
    for label, base in (("1, held to one core", held), ("1, with every core", whole)):
        print(f"| {label} | {statistics.median(base):.0f} | {statistics.median(b / a for a, b in zip(base, two)):.2f} × |")
    print(f"| 2 | {statistics.median(two):.0f} | |")
