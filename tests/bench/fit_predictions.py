#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the figures of software stacks, architectures and devices to published runs.

    tests/bench/fit_predictions.py [--rounds N] [--write] [--only FIGURE…]
                                   [--leave-out [source|model] [--most N]] [--program build/bin/shardlab] [TABLE]

The figures that are fitted are named in FITTED below, each with the files that share it. A figure is changed in steps
of a shrinking factor, one after the other, and a change stays where the mean error of `shardlab validate` falls. Each
source counts with the square root of its runs for each device, so that a sweep of one source does not decide alone, and
an error above LARGEST counts as LARGEST, so that a misprint does not. What a figure is before the fit draws it a little:
a figure that no run says anything of stays.

--write      writes what was found into resources/
--only       fits these figures alone: those that a change of the model has to do with
--leave-out  cross-validation: for each source (or, with `model`, each model: its kind and its parameters) the figures
             are fitted to all others, from the round numbers in FITTED and not from what all runs together gave, and
             the source is predicted. A figure that fewer than FEWEST other runs tell of keeps its round number. Each
             round moves all figures along their slopes, which takes minutes where changing one after the other takes
             hours.
             --most: fits to at most so many runs of a source, evenly taken; all runs of a source that is left out are
             predicted.
"""
import argparse, csv, json, math, pathlib, re, subprocess, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LARGEST = 0.8
PULL = 0.002
MEMORY_COUNTS = 0.3
FEWEST = 2  # runs that have to tell of a figure, or it keeps its number
FOLDERS = ("stacks", "architectures", "devices")

def every(folder, *names):
    return [f"{folder}/{name}" for name in names]

A = {name: f"architectures/{name}" for name in ("volta", "ampere", "hopper", "blackwell", "grace-blackwell")}
BLACKWELL = [A["blackwell"], A["grace-blackwell"]]
ALL = list(A.values())
# Name of the figure, its place in a file, the files that share it, how large it may become, and a round number to begin
# with where what is known already must not count.
FITTED = [
    ("tiles", "tile_overhead", ALL, 1e4, 128),
    ("memory share", "memory_share", ALL, 1, 0.85),
    ("link share", "in_node_share", ALL, 1, 0.7),
    ("network share", "between_nodes_share", ALL, 1, 0.7),
    ("collective's step", "in_node_latency_seconds", ALL, 1, 3e-6),
    ("collective's step between hosts on ampere", "between_nodes_latency_seconds", [A["ampere"]], 1, 5e-6),
    ("attention backward", "attention/backward", ALL, 1, 0.8),
    ("materialised attention", "attention/materialised", ALL, 1, 0.6),
    ("flash 1 on ampere", "attention/flash-1", [A["ampere"]], 1, 0.4),
    ("flash 1 on hopper", "attention/flash-1", [A["hopper"]], 1, 0.25),
    ("flash 2 on ampere", "attention/flash-2", [A["ampere"]], 1, 0.4),
    ("flash 2 on hopper", "attention/flash-2", [A["hopper"]], 1, 0.3),
    ("fused on hopper", "attention/fused", [A["hopper"]], 1, 0.5),
    ("fused on blackwell", "attention/fused", BLACKWELL, 1, 0.5),
    ("products on volta", "matmul_efficiency", every("devices", "v100-sxm-32"), 1, 0.8),
    ("products on ampere", "matmul_efficiency", every("devices", "a100-sxm", "a100-sxm-40", "a800-sxm-80"), 1, 0.8),
    ("products on hopper", "matmul_efficiency", every("devices", "h100-sxm", "h200"), 1, 0.75),
    # Near its limit of power a clock goes with about the square root of it: of 0.75 at 700 W.
    ("products on hopper at 500 W", "matmul_efficiency", every("devices", "h100-sxm-96-hbm2e"), 1, 0.63),
    ("products on blackwell at 1000 W", "matmul_efficiency", every("devices", "b200", "b300"), 1, 0.8),
    ("products on blackwell at 1200 W", "matmul_efficiency", every("devices", "gb200"), 1, 0.8),
    ("products on blackwell at 1400 W", "matmul_efficiency", every("devices", "gb300"), 1, 0.8),
    ("products in 8 bits on hopper", "fp8_share", [A["hopper"]], 10, 0.9),
    ("products in 8 bits on blackwell", "fp8_share", [A["blackwell"]], 10, 1),
    ("products in 8 bits on grace blackwell", "fp8_share", [A["grace-blackwell"]], 10, 1),
    ("scales of blocks", "block_scale_share", BLACKWELL, 10, 0.9),
    ("scales of rows", "row_scale_share", [A["hopper"]], 10, 0.7),
    ("products in 4 bits", "fp4_share", BLACKWELL, 10, 0.8),
    ("kernel to kernel", "kernel_seconds",
     [f"stacks/{file.stem}" for file in sorted((ROOT / "resources/stacks").glob("*.json"))
      if file.stem not in ("megatron-core-graphs", "megatron-deepspeed-blocking")], 1, 1e-5),
    ("kernel to kernel where launches block", "kernel_seconds",
     every("stacks", "megatron-deepspeed-blocking"), 1, 1e-4),
    ("kernel to kernel in a graph", "kernel_seconds", every("stacks", "megatron-core-graphs"), 1, 2e-6),
    ("exchanges of experts beside compute", "exchange_hidden", every("stacks", "megatron-core-graphs", "megatron-core-overlap"), 1, 0.9),
    ("kernels of a layer with experts", "routing_kernels", None, 1000, 60),
    ("kernels of an expert", "expert_kernels", None, 1000, 10),
    ("unfused passes", "passes",
     every("stacks", "megatron-2021", "fsdp-eager", "yafsdp", "torchtitan"), 10, 1),
    ("passes with fused kernels", "passes",
     every("stacks", "megatron-2022", "megatron-deepspeed", "megatron-deepspeed-blocking", "fsdp", "internevo",
           "nanotron"), 10, 1),
    ("passes of transformer engine", "passes", every("stacks", "megatron-core", "megatron-core-graphs", "megatron-core-overlap", "megatron-core-serial"), 10, 1),
    ("passes of torch.compile", "passes", every("stacks", "torchtitan-compile", "torchtitan-compile-loss"), 10, 0.5),
    ("deepspeed's engine", "overhead", every("stacks", "megatron-deepspeed", "megatron-deepspeed-blocking"), 10, 1.05),
    ("user buffers", "tensor_hidden", every("stacks", "megatron-core", "megatron-core-graphs", "megatron-core-overlap"), 0.98, 0.8),
    ("asynchronous tensor groups", "tensor_hidden", every("stacks", "torchtitan-compile", "torchtitan-compile-loss", "nanotron"), 0.98, 0.5),
    ("gathers of fsdp", "gather_share", every("stacks", "fsdp"), 1, 0.5),
    ("gathers of eager fsdp", "gather_share", every("stacks", "fsdp-eager"), 1, 0.5),
    ("gathers of yafsdp", "gather_share", every("stacks", "yafsdp"), 1, 0.5),
    ("gathers of fsdp 2", "gather_share", every("stacks", "torchtitan", "torchtitan-compile", "torchtitan-compile-loss"), 1, 0.8),
    ("gathers of deepspeed", "gather_share",
     every("stacks", "megatron-deepspeed", "megatron-deepspeed-blocking", "megatron-2021", "megatron-2022"), 1, 0.3),
    ("sums to owners in deepspeed", "owner_share", every("stacks", "megatron-deepspeed", "megatron-deepspeed-blocking"), 1, 0.5),
    ("compute beside gathers", "beside_gathers", None, 10, 1.05),
    ("context", "context_bytes", None, 1e11, 3e9),
    ("fragmentation", "fragmentation",
     every("stacks", "megatron-2021", "megatron-2022", "megatron-deepspeed", "megatron-deepspeed-blocking",
           "internevo"), 1, 0.1),
    ("fragmentation since PyTorch 2", "fragmentation",
     every("stacks", "megatron-core", "megatron-core-graphs", "megatron-core-overlap", "megatron-core-serial", "nanotron", "fsdp", "fsdp-eager", "yafsdp", "torchtitan",
           "torchtitan-compile", "torchtitan-compile-loss"), 1, 0.05),
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
        text = json.dumps(file, indent=2, ensure_ascii=False)
        text = re.sub(r"\[\s+([^\[\]]*?)\s+\]", lambda words: "[" + re.sub(r",\s+", ", ", words.group(1)) + "]", text)
        path.write_text(text + "\n")


class Runs:
    """The published runs that count and can be predicted, and what was predicted of them last."""

    def __init__(self, figures, options):
        self.program = options.program
        table = pathlib.Path(options.table[0] if options.table else ROOT / "resources/published/measurements.csv")
        with table.open(newline="") as file:
            reader = csv.DictReader(file)
            self.columns = reader.fieldnames
            self.lines = {line["id"]: line for line in reader}
        rows = [row for row in self.ask(figures, self.lines) if row["counts"] and not row["refused"]]
        self.lines = {row["id"]: self.lines[row["id"]] for row in rows}
        devices = sorted((n.split("/")[1] for n in figures if n.startswith("devices/")), key=len, reverse=True)
        self.files = {}
        for row in rows:
            device = next(d for d in devices if self.lines[row["id"]]["device"].startswith(d))
            self.files[row["id"]] = {f"devices/{device}", f"stacks/{row['stack']}",
                                     f"architectures/{figures[f'devices/{device}']['architecture']}"}

    def ask(self, figures, ids):
        with tempfile.TemporaryDirectory() as folder:
            write_figures(figures, pathlib.Path(folder))
            table = pathlib.Path(folder) / "runs.csv"
            with table.open("w", newline="") as file:
                writer = csv.DictWriter(file, self.columns)
                writer.writeheader()
                writer.writerows(self.lines[name] for name in ids)
            done = subprocess.run([self.program, "validate", str(table), "--figures", folder, "--json"],
                                  capture_output=True, text=True, check=True)
        return json.loads(done.stdout)["rows"]

    def predict(self, figures, ids):
        return {row["id"]: row for row in self.ask(figures, ids)}

    def changed(self, known, figures, figure):
        """What is known, with those runs predicted again that the figure has to do with."""
        files = set(files_of(figures, figure))
        ids = [name for name in known if files & self.files[name]]
        return {**known, **self.predict(figures, ids)} if ids else known


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
    mean = mean_error(rows.values(), "error") + MEMORY_COUNTS * mean_error(rows.values(), "memory_error")
    return mean + PULL * sum(math.log(value(figures, f) / value(first, f)) ** 2 for f in FITTED if value(first, f) > 0)


def fit(runs, figures, ids, rounds, say=print):
    first = figures
    rows = runs.predict(figures, ids)
    best = loss(rows, figures, first)
    steps = {figure[0]: 0.25 for figure in FITTED}
    for number in range(rounds):
        before = best
        for figure in FITTED:
            for sign in (1, -1):
                now = value(figures, figure)
                number_tried = min(figure[3], now * math.exp(sign * steps[figure[0]]))
                if figure[0] in ("deepspeed's engine", "compute beside gathers"):
                    number_tried = max(1.0, number_tried)
                if number_tried == now:
                    continue
                tried = with_value(figures, figure, number_tried)
                rows_tried = runs.changed(rows, tried, figure)
                error = loss(rows_tried, tried, first)
                if error < best - 1e-6:
                    figures, rows, best = tried, rows_tried, error
                    steps[figure[0]] *= 1.3
                    break
            else:
                steps[figure[0]] /= 2
        say(f"round {number + 1}: mean error {100 * best:.2f} %", flush=True)
        if before - best < 2e-4 and number > 3:
            break
    return figures


KEYS = ("error", "memory_error")
SLOPE = 0.1   # change of a figure's logarithm from which slopes are taken
LARGEST_STEP = 0.4


def slopes(runs, figures, rows):
    """For each figure, by run and key: how the prediction's logarithm changes with the figure's."""
    found = {}
    for figure in FITTED:
        now = value(figures, figure)
        change = SLOPE if now * math.exp(SLOPE) <= figure[3] else -SLOPE
        tried = runs.changed(rows, with_value(figures, figure, now * math.exp(change)), figure)
        found[figure[0]] = {(name, key): (math.log1p(row[key]) - math.log1p(rows[name][key])) / change
                            for name, row in tried.items() if row is not rows[name]
                            for key in KEYS if row[key] is not None and row[key] != rows[name][key]}
    return found


def weights_of(rows):
    """By run and key, what its error counts in loss()."""
    weights = {}
    for key in KEYS:
        groups = {}
        for name, row in rows.items():
            if row[key] is not None:
                groups.setdefault(group_of(row), []).append(name)
        whole = sum(math.sqrt(len(names)) for names in groups.values())
        for names in groups.values():
            for name in names:
                weights[name, key] = (1 if key == "error" else MEMORY_COUNTS) / math.sqrt(len(names)) / whole
    return weights


def fit_by_slopes(runs, begin, ids, rounds, slopes_there):
    """As fit(), but each round moves all figures along slopes, first those at the begin, and predicts all runs."""
    figures = begin
    for slope in slopes_there:
        figures = along_slopes(runs, begin, figures, ids, rounds, slope)
    return figures


def along_slopes(runs, begin, figures, ids, rounds, slope):
    rows = runs.predict(figures, ids)
    best = loss(rows, figures, begin)
    for _ in range(rounds):
        weights = weights_of(rows)
        errors = {at: math.log1p(rows[at[0]][at[1]]) for at in weights}
        moved = {}
        told = [figure for figure in FITTED if len({name for name, _ in slope[figure[0]]} & set(ids)) >= FEWEST]
        for figure in told:
            now = value(figures, figure)
            low = 0.0 if figure[0] in ("deepspeed's engine", "compute beside gathers") else -math.inf
            moved[figure[0]] = [0.0, max(-LARGEST_STEP, low - math.log(now)),
                                min(LARGEST_STEP, math.log(figure[3] / now)), math.log(now / value(begin, figure))]
        step = 0.16
        while step > 0.002:
            better = False
            for name, (at, low, high, pulled) in moved.items():
                part = [(place, share) for place, share in slope[name].items() if place in weights]
                for change in (step, -step):
                    to = min(high, max(low, at + change))
                    gain = PULL * ((pulled + to) ** 2 - (pulled + at) ** 2) + sum(
                        weights[place] * (min(LARGEST, abs(errors[place] + share * (to - at))) -
                                          min(LARGEST, abs(errors[place]))) for place, share in part)
                    if gain < -1e-7:
                        for place, share in part:
                            errors[place] += share * (to - at)
                        moved[name][0] = to
                        better = True
                        break
            step = step if better else step / 2
        shorter = 1.0
        while shorter > 0.2:  # where slopes hold less far
            tried = figures
            for figure in told:
                tried = with_value(tried, figure, value(figures, figure) * math.exp(shorter * moved[figure[0]][0]))
            rows_tried = runs.predict(tried, ids)
            error = loss(rows_tried, tried, begin)
            if error < best:
                figures, rows, best = tried, rows_tried, error
                break
            shorter /= 2
        else:
            break
    return figures


def evenly(names, most):
    return [names[i * len(names) // most] for i in range(most)] if most and len(names) > most else names


PARTS = {"source": lambda line: line["source"], "model": lambda line: f"{line['model_kind']} {line['params_b']} B"}


def leave_out(runs, figures, rounds, most, by):
    """Each part (`by` a source or a model) predicted by a fit to all others, which began with round numbers."""
    begin = figures
    for figure in FITTED:
        begin = with_value(begin, figure, figure[4])
    part = {name: PARTS[by](line) for name, line in runs.lines.items()}
    told = lambda rows: f"{table(rows)} | memory, {table(rows, 'memory_error')}"
    first = runs.predict(begin, part)
    print("round numbers, without a fit:", told(first.values()), flush=True)
    used = {each: evenly([name for name in part if part[name] == each], most) for each in sorted(set(part.values()))}
    but = lambda left: [name for each, names in used.items() if each != left for name in names]
    slope = [slopes(runs, begin, {name: first[name] for name in but(None)})]
    near = fit_by_slopes(runs, begin, but(None), rounds, slope)  # where fits end, slopes are others
    slope.append(slopes(runs, near, runs.predict(near, but(None))))
    print("slopes are known", flush=True)
    unseen = []
    print("| left out | step: runs | median | nine of ten | worst | memory: runs | median | nine of ten | worst |")
    print("|---|---|---|---|---|---|---|---|---|")
    for left in used:
        others = fit_by_slopes(runs, begin, but(left), rounds, slope)
        rows = list(runs.predict(others, [name for name in part if part[name] == left]).values())
        unseen += rows
        print(f"| {left} | {cells(rows)} | {cells(rows, 'memory_error')} |", flush=True)
    print(f"| all | {cells(unseen)} | {cells(unseen, 'memory_error')} |", flush=True)
    together = runs.predict(fit_by_slopes(runs, begin, but(None), rounds, slope), part).values()
    print("a fit to all:", told(together))


def cells(rows, key="error"):
    errors = sorted(abs(row[key]) for row in rows if row[key] is not None)
    at = lambda share: f"{100 * errors[int(share * (len(errors) - 1))]:.1f} %" if errors else ""
    return " | ".join([str(len(errors) or ""), at(.5), at(.9), at(1)])


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
    parser.add_argument("--only", nargs="+", choices=[figure[0] for figure in FITTED], metavar="FIGURE")
    parser.add_argument("--leave-out", nargs="?", const="source", choices=PARTS)
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--program", default=str(ROOT / "build/bin/shardlab"))
    options = parser.parse_args()
    if options.only:
        FITTED[:] = [figure for figure in FITTED if figure[0] in options.only]
    figures = read_figures()
    runs = Runs(figures, options)
    told = lambda figures: (lambda rows: f"{table(rows)} | memory, {table(rows, 'memory_error')}")(
        runs.predict(figures, runs.lines).values())
    print("before:", told(figures), flush=True)
    if options.leave_out:
        leave_out(runs, figures, options.rounds, options.most, options.leave_out)
        return
    fitted = fit(runs, figures, list(runs.lines), options.rounds)
    print("fitted:", told(fitted))
    for figure in FITTED:
        now = value(fitted, figure)
        print(f"  {figure[0]:31s} {value(figures, figure):12.6g} -> {now:12.6g}")
    if options.write:
        for figure in FITTED:
            fitted = with_value(fitted, figure, float(f"{value(fitted, figure):.3g}"))
        write_figures(fitted, ROOT / "resources")
        print("written: ", told(fitted))


if __name__ == "__main__":
    main()
