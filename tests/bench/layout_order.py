#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether predictions put the layouts of one model on the same devices into their order.

    tests/bench/layout_order.py [--program build/bin/shardlab] [--all] [TABLE]

A group is what one source measured of one model, sequence, number format and stack on as many devices of a kind, in at
least LEAST different layouts. Layouts are compared by seconds of a sample. `rank` is Spearman's correlation of
predicted and measured; `lost` how much longer than the quickest layout that takes which is predicted to be the
quickest; `spread` how much longer the slowest takes. Runs of one layout count as one, with their median. In a group
whose layouts differ by less than predictions do, ranks say nothing: `clear` counts the pairs that differ by more than
5 %, and how many of them are predicted the right way round. `attainable` is the rank that the same layouts would have with themselves if
they were measured once more, in the median of DRAWS draws: each time is off by a normal share with the standard
deviation that the source's runs of one layout have. A source that ran no layout twice has none.
"""
import argparse, csv, json, pathlib, random, re, statistics, subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LEAST = 4
CLEAR = 1.05
DRAWS = 1001
MODEL = ("source", "device", "gpus", "model_kind", "layers", "hidden", "heads", "vocabulary", "sequence", "precision")
LAYOUT = ("tp", "pp", "vpp", "cp", "zero", "micro_batch", "global_batch", "sequence_parallel", "recompute", "schedule")
# From this line of its reference on a source's times were taken after its machine had become quicker, and are not to be
# compared with those before, as it says itself: BLOOM's on 2022-02-25 by 1 to 5 %, PCI Express and NUMA ("GBS Variations").
QUICKER_FROM = {"BigScience BLOOM prequel": 763}


def machine(line):
    at = re.search(r"#L(\d+)", line["source_ref"])
    return int(at.group(1)) >= QUICKER_FROM[line["source"]] if at and line["source"] in QUICKER_FROM else False


def ranks(values):
    order = sorted(values)
    return [order.index(v) + (order.count(v) - 1) / 2 for v in values]


def correlation(one, other):
    a, b = ranks(one), ranks(other)
    return statistics.correlation(a, b) if len(set(a)) > 1 and len(set(b)) > 1 else 0.0


def groups(program, table):
    done = subprocess.run([program, "validate", str(table), "--json"], capture_output=True, text=True, check=True)
    predicted = {row["id"]: row for row in json.loads(done.stdout)["rows"]}
    found = {}
    for line in csv.DictReader(table.open(newline="")):
        row = predicted[line["id"]]
        if not row["counts"] or row["error"] is None:
            continue
        key = tuple(line[c] for c in MODEL) + (row["stack"], machine(line))
        samples = float(line["global_batch"])
        layouts = found.setdefault(key, {})
        layouts.setdefault(tuple(line[c] for c in LAYOUT), []).append(
            (row["measured_seconds"] / samples, row["predicted_seconds"] / samples))
    noise = {source: repeated([each for key, layouts in found.items() if key[0] == source for each in layouts.values()])
             for source in {key[0] for key in found}}
    for key, layouts in found.items():
        runs = [tuple(statistics.median(column) for column in zip(*each)) for each in layouts.values()]
        if len(runs) >= LEAST:
            yield key, runs, attainable([measured for measured, _ in runs], noise[key[0]])


def repeated(layouts):
    """The relative standard deviation of runs of one layout, of all layouts together; None where none ran twice."""
    times = [[measured for measured, _ in runs] for runs in layouts if len(runs) > 1]
    if not times:
        return None
    squares = sum((time / statistics.mean(each) - 1) ** 2 for each in times for time in each)
    return (squares / sum(len(each) - 1 for each in times)) ** 0.5


def attainable(measured, noise):
    if noise is None:
        return None
    draw = random.Random(1)
    again = ([m * (1 + draw.gauss(0, noise)) for m in measured] for _ in range(DRAWS))
    return statistics.median(correlation(measured, each) for each in again)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="?", type=pathlib.Path, default=ROOT / "resources/published/measurements.csv")
    parser.add_argument("--program", default=str(ROOT / "build/bin/shardlab"))
    parser.add_argument("--all", action="store_true", help="a line for each group, not for each source")
    options = parser.parse_args()
    figures = {}
    lines = []
    for key, runs, most in groups(options.program, options.table):
        measured, predicted = zip(*runs)
        best = min(measured)
        chosen = measured[predicted.index(min(predicted))]
        pairs = [(i, j) for i in range(len(runs)) for j in range(i) if max(measured[i] / measured[j],
                                                                          measured[j] / measured[i]) > CLEAR]
        right = sum((measured[i] < measured[j]) == (predicted[i] < predicted[j]) for i, j in pairs)
        told = (len(runs), correlation(measured, predicted), chosen / best - 1, max(measured) / best - 1, right,
                len(pairs), most)
        lines.append((key, told))
        figures.setdefault(key[0], []).append(told)
    print("| source | groups | layouts | rank, median | attainable | rank ≥ 0.9 | best within 5 % "
          "| clear pairs the right way |")
    print("|---|---|---|---|---|---|---|---|")
    figures["all"] = [told for _, told in lines]
    for source, of in figures.items():
        right, pairs = sum(t[4] for t in of), sum(t[5] for t in of)
        most = [t[6] for t in of if t[6] is not None]
        print(f"| {source} | {len(of)} | {sum(t[0] for t in of)} | {statistics.median(t[1] for t in of):.2f} "
              f"| {f'{statistics.median(most):.2f}' if most else ''} "
              f"| {sum(t[1] >= 0.9 for t in of)} | {sum(t[2] <= 0.05 for t in of)} "
              f"| {right} of {pairs} ({100 * right / max(1, pairs):.0f} %) |")
    if not options.all:
        return
    print("\n| group | layouts | rank | attainable | lost | spread | clear pairs |\n|---|---|---|---|---|---|---|")
    for key, (count, rank, lost, spread, right, pairs, most) in sorted(lines, key=lambda line: line[1][1]):
        name = f"{key[0]}: {key[3]} {key[4]}×{key[5]}, {key[6]} heads, {key[8]} tokens, {key[9]}, {key[2]} {key[1]}"
        again = "" if most is None else f"{most:.2f}"
        print(f"| {name} | {count} | {rank:.2f} | {again} | {100 * lost:.1f} % | {100 * spread:.0f} % "
              f"| {right} of {pairs} |")


if __name__ == "__main__":
    main()
