#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two data-parallel ranks of one thread against one rank of one thread, at full speed; alternating, medians.

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


def tokens_per_second(ranks, folder, thread_cap):
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
    # One rank is held to one core, so that both have one thread a rank.
    answer = subprocess.run((["taskset", "-c", "0"] if thread_cap else []) + command, check=True, capture_output=True)
    return json.loads(answer.stdout)["tokens_per_second"]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    one, two = [], []
    for _ in range(rounds):
        one.append(tokens_per_second(1, folder, True))
        two.append(tokens_per_second(2, folder, False))
    print(f"1 rank {statistics.median(one):.0f} tokens/s, 2 ranks {statistics.median(two):.0f} tokens/s, "
          f"speed-up {statistics.median(b / a for a, b in zip(one, two)):.2f}")
