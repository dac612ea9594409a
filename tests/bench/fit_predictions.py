#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the figures of software stacks, architectures and devices to published runs.

    tests/bench/fit_predictions.py [--rounds N] [--write] [--leave-out] [--program build/bin/shardlab] [TABLE]

The figures that are fitted are named in FITTED below, each with the files that share it. A figure is changed in steps
of a shrinking factor, one after the other, and a change stays where the mean error of `shardlab validate` falls. Each
source counts with the square root of its runs for each device, so that a sweep of one source does not decide alone, and
an error above LARGEST counts as LARGEST, so that a misprint does not. What a figure is before the fit draws it a little:
a figure that no run says anything of stays.

--write      writes what was found into resources/
--leave-out  cross-validation: for each source the figures are fitted to all others and the source is predicted
"""
import argparse, json, math, pathlib, subprocess, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LARGEST = 0.8
PULL = 0.002
MEMORY_COUNTS = 0.3
FOLDERS = ("stacks", "architectures", "devices")

def every(folder, *names):
    return [f"{folder}/{name}" for name in names]

A = {name: f"architectures/{name}" for name in ("volta", "ampere", "hopper", "blackwell")}
ALL = list(A.values())
# Name of the figure, its place in a file, the files that share it, and how large it may become.
FITTED = [
    ("tiles", "tile_overhead", ALL, 1e4),
    ("memory share", "memory_share", ALL, 1),
    ("link share", "in_node_share", ALL, 1),
    ("network share", "between_nodes_share", ALL, 1),
    ("collective's step", "in_node_latency_seconds", ALL, 1),
    ("attention backward", "attention/backward", ALL, 1),
    ("materialised attention", "attention/materialised", ALL, 1),
    ("flash 1 on ampere", "attention/flash-1", [A["ampere"]], 1),
    ("flash 1 on hopper", "attention/flash-1", [A["hopper"]], 1),
    ("flash 2 on ampere", "attention/flash-2", [A["ampere"]], 1),
    ("flash 2 on hopper", "attention/flash-2", [A["hopper"]], 1),
    ("fused on hopper", "attention/fused", [A["hopper"]], 1),
    ("fused on blackwell", "attention/fused", [A["blackwell"]], 1),
    ("products on volta", "matmul_efficiency", every("devices", "v100-sxm-32"), 1),
    ("products on ampere", "matmul_efficiency", every("devices", "a100-sxm", "a100-sxm-40", "a800-sxm-80"), 1),
    ("products on hopper", "matmul_efficiency", every("devices", "h100-sxm", "h200"), 1),
    ("products on hopper at 500 W", "matmul_efficiency", every("devices", "h100-sxm-96-hbm2e"), 1),
    ("products on blackwell", "matmul_efficiency", every("devices", "b200", "b300", "gb200", "gb300"), 1),
    ("products in 8 bits on hopper", "fp8_share", [A["hopper"]], 10),
    ("products in 8 bits on blackwell", "fp8_share", [A["blackwell"]], 10),
    ("scales of blocks", "block_scale_share", [A["blackwell"]], 10),
    ("products in 4 bits", "fp4_share", [A["blackwell"]], 10),
    ("kernel to kernel", "kernel_seconds", None, 1),
    ("unfused passes", "passes",
     every("stacks", "megatron-2021", "fsdp-eager", "yafsdp", "torchtitan"), 10),
    ("passes with fused kernels", "passes",
     every("stacks", "megatron-2022", "megatron-deepspeed", "fsdp", "internevo", "nanotron"), 10),
    ("passes of transformer engine", "passes", every("stacks", "megatron-core", "megatron-core-serial"), 10),
    ("passes of torch.compile", "passes", every("stacks", "torchtitan-compile"), 10),
    ("deepspeed's engine", "overhead", every("stacks", "megatron-deepspeed"), 10),
    ("user buffers", "tensor_hidden", every("stacks", "megatron-core"), 0.98),
    ("asynchronous tensor groups", "tensor_hidden", every("stacks", "torchtitan-compile", "nanotron"), 0.98),
    ("gathers of fsdp", "gather_share", every("stacks", "fsdp"), 1),
    ("gathers of eager fsdp", "gather_share", every("stacks", "fsdp-eager"), 1),
    ("gathers of yafsdp", "gather_share", every("stacks", "yafsdp"), 1),
    ("gathers of fsdp 2", "gather_share", every("stacks", "torchtitan", "torchtitan-compile"), 1),
    ("gathers of deepspeed", "gather_share",
     every("stacks", "megatron-deepspeed", "megatron-2021", "megatron-2022"), 1),
    ("compute beside gathers", "beside_gathers", None, 10),
    ("state of deepspeed's engine", "state_bytes", every("stacks", "megatron-deepspeed"), 100),
    ("context", "context_bytes", None, 1e11),
    ("fragmentation", "fragmentation", None, 1),
    ("logits kept, unfused", "logit_memory_bytes",
     every("stacks", "megatron-2021", "megatron-2022", "megatron-deepspeed", "fsdp", "fsdp-eager", "yafsdp", "internevo",
           "nanotron", "torchtitan"), 100),
    ("logits kept by transformer engine", "logit_memory_bytes", every("stacks", "megatron-core", "megatron-core-serial"), 100),
    ("logits kept by torch.compile", "logit_memory_bytes", every("stacks", "torchtitan-compile"), 100),
]


def read_figures():
    return {f"{folder}/{file.stem}": json.loads(file.read_text())
            for folder in FOLDERS for file in sorted((ROOT / "resources" / folder).glob("*.json"))}


def files_of(figures, figure):
    return figure[2] or [name for name in figures if name.startswith("stacks/")]


def part_of(file, place):
    *inner, last = place.split("/")
    for key in inner:
        file = file[key]
    return file, last


def value(figures, figure):
    part, last = part_of(figures[files_of(figures, figure)[0]], figure[1])
    return part[last]


def with_value(figures, figure, number):
    changed = json.loads(json.dumps(figures))
    for name in files_of(figures, figure):
        part, last = part_of(changed[name], figure[1])
        if last in part:
            part[last] = number
    return changed


def write_figures(figures, root):
    for name, file in figures.items():
        path = root / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(file, indent=2, ensure_ascii=False) + "\n")


def predict(figures, options):
    with tempfile.TemporaryDirectory() as folder:
        write_figures(figures, pathlib.Path(folder))
        done = subprocess.run([options.program, "validate", *options.table, "--figures", folder, "--json"],
                              capture_output=True, text=True, check=True)
    return [row for row in json.loads(done.stdout)["rows"] if row["counts"] and not row["refused"]]


def group_of(row):
    return row["source"], row["id"].rsplit("-", 1)[0], row["stack"]


def mean_error(rows, key):
    groups = {}
    for row in rows:
        if row[key] is not None:
            groups.setdefault(group_of(row), []).append(min(LARGEST, abs(math.log1p(row[key]))))
    weights = {group: math.sqrt(len(errors)) for group, errors in groups.items()}
    return sum(weights[g] * sum(e) / len(e) for g, e in groups.items()) / max(1e-9, sum(weights.values()))


def loss(rows, figures, first):
    mean = mean_error(rows, "error") + MEMORY_COUNTS * mean_error(rows, "memory_error")
    return mean + PULL * sum(math.log(value(figures, f) / value(first, f)) ** 2 for f in FITTED)


def fit(figures, options, keeps=lambda row: True, say=print):
    first = figures
    judge = lambda tried: loss([r for r in predict(tried, options) if keeps(r)], tried, first)
    best = judge(figures)
    steps = {figure[0]: 0.25 for figure in FITTED}
    for number in range(options.rounds):
        before = best
        for figure in FITTED:
            for sign in (1, -1):
                now = value(figures, figure)
                number_tried = min(figure[3], now * math.exp(sign * steps[figure[0]]))
                if figure[0] in ("deepspeed's engine", "compute beside gathers"):
                    number_tried = max(1.0, number_tried)
                tried = with_value(figures, figure, number_tried)
                error = judge(tried) if number_tried != now else math.inf
                if error < best - 1e-6:
                    figures, best = tried, error
                    steps[figure[0]] *= 1.3
                    break
            else:
                steps[figure[0]] /= 2
        say(f"round {number + 1}: mean error {100 * best:.2f} %", flush=True)
        if before - best < 2e-4 and number > 3:
            break
    return figures


def table(rows, key="error"):
    errors = sorted(abs(row[key]) for row in rows if row[key] is not None)
    if not errors:
        return "no runs"
    at = lambda share: errors[int(share * (len(errors) - 1))]
    return f"{len(errors)} runs: median {100 * at(.5):.1f} %, nine of ten {100 * at(.9):.1f} %, worst {100 * errors[-1]:.0f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="*")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--leave-out", action="store_true")
    parser.add_argument("--program", default=str(ROOT / "build/bin/shardlab"))
    options = parser.parse_args()
    figures = read_figures()
    rows = predict(figures, options)
    print("before:", table(rows), "| memory,", table(rows, "memory_error"))
    fitted = fit(figures, options)
    rows = predict(fitted, options)
    print("fitted:", table(rows), "| memory,", table(rows, "memory_error"))
    for figure in FITTED:
        now = value(fitted, figure)
        print(f"  {figure[0]:28s} {value(figures, figure):12.6g} -> {now:12.6g}")
    if options.write:
        rounded = fitted
        for figure in FITTED:
            rounded = with_value(rounded, figure, float(f"{value(fitted, figure):.3g}"))
        write_figures(rounded, ROOT / "resources")
        print("written: ", table(predict(rounded, options)))
    if options.leave_out:
        left_out = []
        for source in sorted({row["source"] for row in predict(figures, options)}):
            others = fit(figures, options, lambda row: row["source"] != source, lambda *_, **__: None)
            rows = [row for row in predict(others, options) if row["source"] == source]
            left_out += rows
            print(f"  left out {source}: {table(rows)}", flush=True)
        print("each source predicted by a fit to the others:", table(left_out))


if __name__ == "__main__":
    main()
