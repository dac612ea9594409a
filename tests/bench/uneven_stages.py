#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An uneven model on the even split of its layers and on the partitioner's: paced, and at full speed; medians.

usage: tests/bench/uneven_stages.py [build/bin] [rounds]

Eight layers, the upper four of them with eight times the feed-forward width of the lower, and a large vocabulary.
Paced: four ranks, the modelled CPU. Full speed: two ranks on two cores, the two splits in turn, the partitioner working
from a profile measured just before.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

programs = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin")
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5


def layout(ranks, pace):
    return {
        "name": f"uneven on {ranks}",
        "model": {"kind": "gpt", "layers": 8, "hidden": 128, "heads": 4, "sequence": 64, "vocabulary": 1024,
                  "feed_forward": [256] * 4 + [2048] * 4},
        "cluster": {"hosts": [{"name": "localhost", "devices": ranks}], "pace": pace},
        "parallel": {"data": 1, "pipeline": ranks},
        "schedule": {"kind": "1f1b"},
        "batch": {"global": 16, "micro": 1},
        "run": {"validate_every": 0},
    }


def shardlab(*arguments):
    answer = subprocess.run([programs / "shardlab", *arguments, "--json"], check=True, capture_output=True)
    return json.loads(answer.stdout)


def step_seconds(file, folder, steps):
    run = shardlab("run", file, "--steps", str(steps), "--out", folder / "bench.shardlab", "--force")
    return run["step_seconds"]["measured"]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    os.environ["SHARDLAB_PROFILES"] = str(folder / "profiles")
    print("| run | split | layers of each stage | predicted step | measured step | shorter by |")
    print("|---|---|---|---|---|---|")
    for label, ranks, paced in (("paced", 4, True), ("full speed", 2, False)):
        even, balanced = folder / "even.layout.json", folder / "balanced.layout.json"
        even.write_text(json.dumps(layout(ranks, {"device": "cpu", "step_seconds": 1.0} if paced else None)))
        if not paced:
            shardlab("profile", even)
        splits = shardlab("partition", even, "--out", balanced)["splits"]
        if paced:
            # Both on one clock: the balanced step is stretched as much as the even one.
            ratio = splits[-1]["step_seconds"] / splits[0]["step_seconds"]
            written = json.loads(balanced.read_text())
            written["cluster"]["pace"]["step_seconds"] = ratio
            balanced.write_text(json.dumps(written))
        steps = 6 if paced else 40
        times = {file: [] for file in (even, balanced)}
        for _ in range(1 if paced else rounds):
            for file in times:
                times[file].append(step_seconds(file, folder, steps))
        saved = statistics.median(1 - b / a for a, b in zip(times[even], times[balanced]))
        for split, file, predicted in (("even", even, splits[0]), ("balanced", balanced, splits[-1])):
            print(f"| {label} | {split} | {' '.join(map(str, predicted['stages']))} | "
                  f"{predicted['step_seconds'] * 1e3:.1f} ms | {statistics.median(times[file]) * 1e3:.1f} ms | "
                  f"{f'{saved:.0%}' if file == balanced else ''} |", flush=True)
