#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Paced runs against simulator, ledger and theory: every kind of schedule, p = 2, 4, 8, under Open MPI.

usage: tests/bench/paced_schedules.py [build/bin] [steps] [kind ...]

Equal stages (64 thin layers, small vocabulary), 16 microbatches, one step a second; GPipe and 1F1B also with 4 and 8
microbatches. Prints one row a run: bubble over steady steps, the largest peak of activations over ranks.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

programs = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin")
steps = sys.argv[2] if len(sys.argv) > 2 else "8"
CHUNKS = {"naive": 1, "gpipe": 1, "1f1b": 1, "interleaved-1f1b": 2, "looped-bfs": 2, "zb-h1": 1, "zb-v": 2,
          "zb-greedy": 1, "dualpipe-v": 2, "pipedream": 1, "pipedream-2bw": 1}
kinds = sys.argv[3:] or CHUNKS


def shardlab(*arguments):
    return subprocess.run([programs / "shardlab", *arguments], check=True, capture_output=True, text=True).stdout


def measure(kind, stages, microbatches, folder):
    layout = {
        "name": f"{kind} p={stages} m={microbatches}",
        "model": {"kind": "gpt", "layers": 64, "hidden": 48, "heads": 4, "sequence": 32, "vocabulary": 256},
        "cluster": {"hosts": [{"name": "localhost", "devices": stages}],
                    "pace": {"device": "h100-sxm", "step_seconds": 2.0 if microbatches > 8 else 1.0}},
        "parallel": {"data": 1, "pipeline": stages},
        "schedule": {"kind": kind, "chunks": CHUNKS[kind]},
        "batch": {"global": microbatches, "micro": 1},
        "optimizer": {"clip": 0},  # several weight versions have no common gradient norm
        "run": {"validate_every": 0},
    }
    file, run = folder / "bench.layout.json", folder / "bench.shardlab"
    file.write_text(json.dumps(layout))
    answer = json.loads(shardlab("run", file, "--steps", steps, "--out", run, "--force", "--json"))
    peaks = json.loads(shardlab("query", run, "--json", "SELECT rank, max(bytes) AS bytes FROM events WHERE source = "
                                "'measured' AND kind = 'memory peak: activations' GROUP BY rank"))
    plan = json.loads(shardlab("plan", file, "--json"))
    answer["activations"] = {"measured": max(peak["bytes"] for peak in peaks),
                             "predicted": max(rank["bytes"]["activations"] for rank in plan["memory"])}
    return answer


worst_bubble = worst_bytes = 0
with tempfile.TemporaryDirectory() as name:
    print("| schedule | p | m | bubble measured | simulated | theory | step measured | simulated | "
          "peak activations measured | predicted |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for kind in kinds:
        for stages in (2, 4, 8):
            for microbatches in (4, 8, 16) if kind in ("gpipe", "1f1b") else (16,):
                run = measure(kind, stages, microbatches, pathlib.Path(name))
                bubble, step, activations = run["bubble"], run["step_seconds"], run["activations"]
                worst_bubble = max(worst_bubble, abs(bubble["measured"] - bubble["predicted"]))
                worst_bytes = max(worst_bytes, abs(activations["measured"] / activations["predicted"] - 1))
                print(f"| {kind} | {stages} | {microbatches} | {bubble['measured']:.1%} | {bubble['predicted']:.1%} | "
                      f"{bubble['theory']:.1%} | {step['measured'] * 1e3:.3f} ms | {step['predicted'] * 1e3:.3f} ms | "
                      f"{activations['measured'] / 2**20:.2f} MiB | {activations['predicted'] / 2**20:.2f} MiB |",
                      flush=True)
print(f"\nLargest difference from the simulator: {worst_bubble * 100:.1f} points of bubble; from the ledger: "
      f"{worst_bytes:.2%} of the peak activations.")
