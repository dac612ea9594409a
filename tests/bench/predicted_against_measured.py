#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicted against measured: step time and peak memory of varied layouts on CPU ranks, at full speed and paced.

usage: tests/bench/predicted_against_measured.py [build/bin] [steps]

Each layout at full speed is profiled first (shardlab profile, into a folder of this bench), and predicted from
the profile before it runs. Step: median over steady steps (the first two left out). Memory: the
largest peak of a rank. Takes four minutes on an idle machine; what else runs on it makes steps longer, so look at the
load that is printed with the table.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

programs = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin")
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 30


def layout(name, kind, pipeline, data, microbatches, micro, layers, hidden, sequence, heads=4, chunks=1, vocabulary=256,
           pace=None, model="gpt", optimizer="adamw"):
    ranks = pipeline * data
    return {
        "name": name,
        "model": {"kind": model, "layers": layers, "hidden": hidden, "heads": heads, "sequence": sequence,
                  "vocabulary": vocabulary},
        "cluster": {"hosts": [{"name": "localhost", "devices": ranks}], **({"pace": pace} if pace else {})},
        "parallel": {"data": data, "pipeline": pipeline},
        "schedule": {"kind": kind, "chunks": chunks},
        "batch": {"global": microbatches * micro * data, "micro": micro},
        "optimizer": {"kind": optimizer},
        "run": {"steps": steps, "validate_every": 0},
    }


paced = {"device": "h100-sxm", "step_seconds": 0.4}
runs = [
    #      name           schedule          p  d  m   b  layers hidden sequence
    layout("1 rank", "1f1b", 1, 1, 4, 4, 4, 256, 128),
    layout("data", "1f1b", 1, 2, 4, 2, 4, 192, 128),
    layout("data, sgd", "1f1b", 1, 2, 2, 4, 6, 128, 128, optimizer="sgd"),
    layout("naive", "naive", 2, 1, 4, 2, 4, 192, 128),
    layout("gpipe", "gpipe", 2, 1, 8, 2, 4, 192, 128),
    layout("1f1b", "1f1b", 2, 1, 8, 2, 8, 128, 128),
    layout("interleaved", "interleaved-1f1b", 2, 1, 4, 4, 4, 128, 128, chunks=2),
    layout("zb-h1", "zb-h1", 2, 1, 8, 2, 4, 192, 64),
    layout("long sequence", "1f1b", 2, 1, 4, 1, 4, 128, 512),
    layout("large vocabulary", "1f1b", 2, 1, 4, 2, 4, 128, 128, vocabulary=8192),
    layout("mlp", "gpipe", 2, 1, 8, 2, 6, 256, 128, model="mlp"),
    layout("4 ranks, 1f1b", "1f1b", 4, 1, 8, 2, 8, 192, 128),
    layout("4 ranks, 2x2", "1f1b", 2, 2, 4, 2, 4, 192, 128),
    layout("4 ranks, gpipe", "gpipe", 4, 1, 4, 2, 4, 256, 128),
    layout("paced 1f1b", "1f1b", 4, 1, 8, 1, 8, 64, 64, pace=paced),
    layout("paced gpipe 2x2", "gpipe", 2, 2, 4, 2, 4, 64, 64, pace=paced),
    layout("paced interleaved", "interleaved-1f1b", 4, 1, 8, 1, 8, 64, 64, chunks=2, pace=paced),
    layout("paced zb-h1", "zb-h1", 4, 1, 8, 1, 8, 64, 64, pace=paced),
]


def shardlab(verb, *arguments):
    answer = subprocess.run([programs / "shardlab", verb, *arguments], check=True, capture_output=True)
    return json.loads(answer.stdout)


def measure(wanted, folder):
    file = folder / "bench.layout.json"
    file.write_text(json.dumps(wanted))
    if "pace" not in wanted["cluster"]:
        shardlab("profile", file, "--json")
    run = shardlab("run", file, "--out", folder / "bench.shardlab", "--force", "--json")
    step = run["step_seconds"]
    peaks = [(rank["peak"], rank["predicted_peak"]) for rank in run["memory"]]
    return step["measured"], step["predicted"], *max(peaks)


def difference(measured, predicted):
    return predicted / measured - 1


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    os.environ["SHARDLAB_PROFILES"] = str(folder / "profiles")
    print("| run | schedule | p | d | m | b | layers | hidden | sequence | step measured | predicted | off | "
          "peak measured | predicted | off |")
    print("|" + "---|" * 15)
    times, memories = [], []
    for wanted in runs:
        measured, predicted, peak, ledger = measure(wanted, folder)
        times.append(abs(difference(measured, predicted)))
        memories.append(abs(difference(peak, ledger)))
        model, batch, parallel = wanted["model"], wanted["batch"], wanted["parallel"]
        print(f"| {wanted['name']} | {wanted['schedule']['kind']} | {parallel['pipeline']} | {parallel['data']} | "
              f"{batch['global'] // batch['micro'] // parallel['data']} | {batch['micro']} | {model['layers']} | "
              f"{model['hidden']} | {model['sequence']} | {1e3 * measured:.3g} ms | {1e3 * predicted:.3g} ms | "
              f"{difference(measured, predicted):+.1%} | {peak / 2**20:.2f} MiB | {ledger / 2**20:.2f} MiB | "
              f"{difference(peak, ledger):+.2%} |", flush=True)
    print(f"\nStep time: median {statistics.median(times):.1%} off, worst {max(times):.1%}. "
          f"Peak memory: worst {max(memories):.2%}. Load when it ended: {os.getloadavg()[0]:.1f}")
