// SPDX-License-Identifier: Apache-2.0
#include "app/cli/print.h"
#include "app/cli/run_text.h"
#include "app/cli/verbs.h"
#include "engine/trace/analysis/run_comparison.h"
#include "engine/base/device_time.h"
#include "engine/base/units.h"

#include <cmath>
#include <fmt/format.h>
#include <memory>

namespace shardlab::cli {

namespace {

struct CompareOptions {
    std::string a;
    std::string b;
    bool json = false;
};

std::string secondsText(const std::optional<double>& value) {
    return value ? formatSeconds(*value) : std::string(unknownCell);
}

std::vector<std::string> row(std::vector<std::string> head, const Compared& figure) {
    head.insert(head.end(),
                {secondsText(figure.a), secondsText(figure.b), formatDifference(figure), formatChange(figure)});
    return head;
}

std::string layersText(std::pair<int, int> layers) {
    if (layers.second < layers.first) return std::string(unknownCell);
    return layers.first == layers.second ? std::to_string(layers.first)
                                         : fmt::format("{}–{}", layers.first, layers.second);
}

std::string sideText(const ComparedSide& side, const std::string& file) {
    const Sentence slowed = DeviceTime(side.stretch).text();
    return fmt::format("{} · {}{}, {} {}, {} {}{}", file, side.name.empty() ? "" : side.name + ", ",
                       side.predicted ? "predicted"
                       : side.paced   ? "measured, paced"
                                      : "measured",
                       side.ranks, side.ranks == 1 ? "rank" : "ranks", side.steps, side.steps == 1 ? "step" : "steps",
                       slowed.empty() ? "" : fmt::format("; {}, times are the modelled devices'", slowed));
}

std::string largest(const RunComparison& comparison) {
    Table table({"action", "kind", "rank", "A", "B", "difference", "", "largest in step"});
    for (const RunComparison::Difference& one : comparison.largest) {
        std::string rank = std::to_string(one.rankA);
        if (one.rankA != one.rankB) rank += fmt::format(" / {}", one.rankB);
        std::vector<std::string> cells = row({one.action ? toText(actionFromId(one.action)) : std::string(unknownCell),
                                              std::string(name(one.kind)), rank},
                                             one.seconds);
        cells.push_back(
            fmt::format("{} ({}{})", one.worstStep, one.worst < 0 ? "−" : "+", formatSeconds(std::abs(one.worst))));
        table.add(std::move(cells));
    }
    return table.text();
}

std::string kinds(const RunComparison& comparison) {
    Table table({"kind", "A", "B", "difference", "", "a step"});
    for (const RunComparison::Kind& kind : comparison.kinds) {
        std::vector<std::string> cells = row({std::string(name(kind.kind))}, kind.seconds);
        const auto count = [](const std::optional<double>& value) {
            return value ? formatCount(*value) : std::string("–");
        };
        cells.push_back(count(kind.count.a) + " / " + count(kind.count.b));
        table.add(std::move(cells));
    }
    return table.text();
}

std::string ranks(const RunComparison& comparison) {
    Table table({"rank", "mesh", "computing A", "B", "", "waiting A", "B", "", "communicating A", "B", ""});
    for (const RunComparison::Rank& rank : comparison.ranks) {
        std::vector<std::string> cells{
            rank.a == rank.b ? std::to_string(rank.a) : fmt::format("{} / {}", rank.a, rank.b), rank.label};
        for (const Compared* figure : {&rank.computing, &rank.waiting, &rank.communicating})
            cells.insert(cells.end(), {secondsText(figure->a), secondsText(figure->b), formatChange(*figure)});
        table.add(std::move(cells));
    }
    return table.text();
}

std::string stages(const RunComparison& comparison) {
    Table table({"stage", "layers A", "layers B", "A", "B", "difference", ""});
    for (const RunComparison::Stage& stage : comparison.stages)
        table.add(
            row({std::to_string(stage.stage), layersText(stage.layersA), layersText(stage.layersB)}, stage.seconds));
    return table.text();
}

std::string layers(const RunComparison& comparison) {
    Table table({"layer", "stage A", "stage B", "A", "B", "difference", ""});
    const auto stage = [](int number) { return number < 0 ? std::string(unknownCell) : std::to_string(number); };
    for (const RunComparison::Layer& layer : comparison.layers)
        table.add(row({std::to_string(layer.layer), stage(layer.stageA), stage(layer.stageB)}, layer.seconds));
    return table.text();
}

/// The steps whose losses stand in the table: all steps of a short run; otherwise the first, the last, the first whose
/// losses differ, and others at even distances.
std::vector<const RunComparison::Step*> stepsToShow(const RunComparison& c) {
    constexpr std::size_t most = 12;
    std::vector<const RunComparison::Step*> all, shown;
    for (const RunComparison::Step& step : c.steps)
        if (step.loss.a || step.loss.b) all.push_back(&step);
    for (std::size_t index = 0; index < all.size(); ++index) {
        const auto place = [&](std::size_t of) { return of * (most - 1) / (all.size() - 1); };
        const bool even = all.size() <= most || place(index) != place(index + 1);
        const bool parts = c.losses && c.losses->firstApart == all[index]->step;
        if (even || parts || index == 0 || index + 1 == all.size()) shown.push_back(all[index]);
    }
    return shown;
}

std::string losses(const RunComparison& c) {
    const RunComparison::Losses& all = *c.losses;
    const std::string most = std::isfinite(all.largest)
                                 ? fmt::format("{:.1e} of A's, in step {}", all.largest, all.largestStep)
                                 : fmt::format("one of both is not finite in step {}", all.largestStep);
    std::string comparisonText =
        all.firstApart ? fmt::format("They differ from step {} on by more than rounding ({:.0e}); at most: {}\n",
                                     *all.firstApart, all.tolerance, most)
                       : fmt::format("In all {} steps they differ by rounding at most (up to {:.0e}); at most: {}\n",
                                     all.steps, all.tolerance, most);
    Table table({"step", "A", "B", "difference", ""});
    const auto number = [](const std::optional<double>& loss) {
        return loss ? fmt::format("{:.6f}", *loss) : std::string(unknownCell);
    };
    for (const RunComparison::Step* step : stepsToShow(c)) {
        const auto difference = step->loss.difference();
        table.add({std::to_string(step->step), number(step->loss.a), number(step->loss.b),
                   difference ? fmt::format("{:+.2e}", *difference) : std::string(unknownCell),
                   formatChange(step->loss)});
    }
    return comparisonText + table.text();
}

std::string comparisonText(const RunComparison& c, const std::string& fileA, const std::string& fileB) {
    std::string comparisonText = "A  " + sideText(c.a, fileA) + "\nB  " + sideText(c.b, fileB) + "\n";
    comparisonText +=
        fmt::format("Compared: {} {} ({}–{}), {} actions aligned by rank, step and action\n\n", c.stepCount,
                    c.stepCount == 1 ? "step" : "steps", c.firstStep, c.lastStep, c.alignedActions);
    Table whole({"a step, median", "A", "B", "difference", ""});
    whole.add(row({"step time"}, c.stepSeconds));
    whole.add({"bubble", formatPercent(c.bubble.a.value_or(0)), formatPercent(c.bubble.b.value_or(0)), "", ""});
    const auto bytes = [](const std::optional<double>& sent) {
        return sent ? formatBytes(std::llround(*sent)) : std::string(unknownCell);
    };
    whole.add(
        {"traffic, sent by all ranks", bytes(c.sentBytes.a), bytes(c.sentBytes.b), "", formatChange(c.sentBytes)});
    comparisonText += whole.text();
    if (c.losses) comparisonText += "\nLosses (mean over a step's tokens, nats)\n" + losses(c);
    comparisonText +=
        "\nThe largest differences (B − A, mean of a step; waits left out, as they follow from others)\n" + largest(c);
    comparisonText += "\nBy kind (mean of a step and a rank)\n" + kinds(c);
    comparisonText += "\nBy rank\n" + ranks(c);
    comparisonText += "\nBy stage (computing)\n" + stages(c);
    if (!c.layers.empty()) comparisonText += "\nBy layer (a stage's computing in equal parts)\n" + layers(c);
    if (!c.notes.empty()) comparisonText += "\nNot aligned\n";
    for (const Sentence& note : c.notes) comparisonText += "  " + note.english() + "\n";
    return comparisonText;
}

int compare(const CompareOptions& options) {
    const auto a = RunReader::open(options.a);
    Result<std::unique_ptr<RunReader>> b;
    if (!a) return failWith(a.error());
    Result<RunComparison> comparison;
    if (options.b.empty()) {
        comparison = compareWithPrediction(**a);
    } else {
        b = RunReader::open(options.b);
        if (!b) return failWith(b.error());
        comparison = compareRuns(**a, **b);
    }
    if (!comparison) return failWith(comparison.error());
    const std::string& other = options.b.empty() ? options.a : options.b;
    print(options.json ? toJson(*comparison, options.a, other) + "\n" : comparisonText(*comparison, options.a, other));
    const int whole = wasWhole(**a);
    return options.b.empty() || whole != success ? whole : wasWhole(**b);
}

}  // namespace

void addCompare(CommandLine& line) {
    Verb verb(line, "compare",
              "Compare two recorded runs, times and losses, or what was predicted with what was measured");
    const auto options = std::make_shared<CompareOptions>();
    verb.option("A", options->a, "A run file (*.shardlab); alone: its prediction (A) with its measured steps (B)")
        .required();
    verb.option("B", options->b, "Another run file, compared with A");
    verb.flag("--json", options->json,
              "Answer with one JSON object; times are seconds, of a paced run those of the devices that it models");
    verb.runs([options] { return compare(*options); });
}

}  // namespace shardlab::cli
