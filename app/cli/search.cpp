// SPDX-License-Identifier: Apache-2.0
#include "app/cli/fault_json.h"
#include "app/cli/layout_argument.h"
#include "app/cli/plan_json.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/units.h"
#include "engine/layout/check/check.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/utilisation.h"
#include "engine/layout/mesh/axis.h"
#include "engine/predict/evidence/candidate_band.h"
#include "engine/predict/plan/costs.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/search.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace shardlab::cli {

namespace {

using Json = nlohmann::ordered_json;

struct SearchOptions {
    LayoutArgument layout;
    int top = 10;
    std::string out;
    bool json = false;
};

Json candidateJson(const Candidate& candidate) {
    const Choice& choice = candidate.choice;
    const ParallelSpec& parallel = choice.parallel;
    Json degrees = Json::object();
    for (const Axis axis : axesAsWritten) degrees[std::string(name(axis))] = degree(parallel, axis);
    degrees["context_method"] = wordOf(parallel.contextKind);
    degrees["sequence"] = parallel.sequence;
    degrees["zero"] = parallel.zero;
    return {{"parallel", std::move(degrees)},
            {"schedule",
             {{"kind", choice.kind},
              {"alike", candidate.alike},
              {"chunks", choice.chunks},
              {"stages", choice.stages},
              {"count_ends", choice.countEnds},
              {"in_flight", choice.inFlight}}},
            {"micro", choice.micro},
            {"microbatches", candidate.microbatches},
            {"recompute", wordOf(choice.recompute)},
            {"partition_activations", choice.partition},
            {"step_seconds", candidate.stepSeconds},
            {"tokens_per_second", candidate.tokensPerSecond},
            {"bubble", candidate.bubble},
            {"mfu", candidate.mfu},
            {"peak_bytes", candidate.peakBytes},
            {"fits", candidate.fits},
            {"why", candidate.why.english()},
            {"front", candidate.front},
            {"exact", candidate.exact}};
}

/// The degrees above 1: "data 4 × pipeline 2".
std::string degreesText(const ParallelSpec& parallel) {
    std::string text;
    for (const Axis axis : axesAsWritten)
        if (const int parts = degree(parallel, axis); matters(axis, parts))
            text +=
                fmt::format("{}{} {}{}", text.empty() ? "" : " × ", name(axis), parts,
                            axis == Axis::Context && parallel.contextKind == ContextKind::Ulysses ? " ulysses" : "");
    if (parallel.sequence) text += " + sequence";
    if (parallel.zero > 0) text += fmt::format(" + ZeRO {}", parallel.zero);
    return text.empty() ? "one rank" : text;
}

/// "1f1b", "zb-greedy, 8 in flight", "naive = gpipe = 1f1b".
std::string scheduleText(const Candidate& candidate) {
    std::string text = candidate.choice.kind;
    if (candidate.choice.inFlight > 0) text += fmt::format(", {} in flight", candidate.choice.inFlight);
    for (const std::string& kind : candidate.alike) text += " = " + kind;
    if (!candidate.choice.stages.empty()) text += ", balanced stages";
    if (candidate.choice.countEnds) text += ", ends count as layers";
    return text;
}

std::string memoryText(const Candidate& candidate) {
    if (!candidate.fits) return "out of memory";
    return candidate.front ? "fits, on the front" : "fits";
}

std::string evidenceText(const SearchResult& result, const PublishedGround& ground) {
    const std::string band = bandText(candidatesWithinBand(result.candidates, ground), ground);
    return fmt::format("\nEvidence: {}.\n{}", ground.text(), band.empty() ? band : band + "\n");
}

/// `note` says where the times come from.
std::string resultText(const Layout& base, const SearchResult& result, std::size_t top, const std::string& note,
                       const std::optional<PublishedGround>& ground) {
    const auto& all = result.candidates;
    const auto fitting = std::ranges::count(all, true, &Candidate::fits);
    const auto front = std::ranges::count(all, true, &Candidate::front);
    std::string text =
        fmt::format("{}\n\n{} legal layouts, {} fit a device with {}, {} on the front of throughput against memory\n"
                    "Figures are of {}, not slowed to watch.\n{}\n",
                    base.name, all.size(), fitting, toText(result.device), front, modelledDevice(base).title,
                    note.empty() ? note : note + "\n");
    Table table({"degrees", "chunks", "schedule", "micro", "step", fmt::format("{}/s", countedInputs(base.model)),
                 "MFU", "bubble", "peak", "memory"});
    for (const Candidate& candidate : std::span(all).first(top))
        table.add({degreesText(candidate.choice.parallel), std::to_string(candidate.choice.chunks),
                   scheduleText(candidate), std::to_string(candidate.choice.micro),
                   formatSeconds(candidate.stepSeconds), formatCount(candidate.tokensPerSecond),
                   utilisationText(candidate.mfu), formatPercent(candidate.bubble), formatBytes(candidate.peakBytes),
                   memoryText(candidate)});
    text += table.text();
    if (ground) text += evidenceText(result, *ground);
    if (fitting == 0) text += fmt::format("\nNone fits. The fastest: {}\n", all.front().why);
    return text;
}

/// The faults of the file and of the assignments themselves; the search may mend what check() finds.
std::vector<Fault> faultsOfReading(const LoadedLayout& loaded) {
    std::vector<Fault> faults = loaded.faults;
    const std::vector<Fault> judged = check(loaded.layout, scheduleMethods());
    std::erase_if(faults, [&](const Fault& fault) { return std::ranges::find(judged, fault) != judged.end(); });
    return faults;
}

tl::expected<SearchResult, std::vector<Fault>> found(const LoadedLayout& loaded, const Measurements& measurements) {
    if (auto faults = faultsOfReading(loaded); !faults.empty()) return tl::unexpected(std::move(faults));
    ProgressLine line;
    return searchLayouts(loaded.layout,
                         {.found =
                              [&](std::span<const Candidate>, const SearchProgress& progress) {
                                  line.show(fmt::format("{} of {} layouts tried", progress.tried, progress.legal));
                              },
                          .measurements = measurements});
}

int search(const SearchOptions& options) {
    const auto loaded = load(options.layout);
    if (!loaded) return failWith(loaded.error());
    const Measurements measurements = measurementsOfThisMachine();
    const auto result = found(*loaded, measurements);
    if (!result) {
        printFaults(result.error());
        if (options.json)
            print(Json{{"name", loaded->layout.name}, {"faults", faultsJson(result.error())}}.dump(2) + "\n");
        return failure;
    }
    const std::size_t top = std::min(static_cast<std::size_t>(options.top), result->candidates.size());
    Layout best = loaded->layout;
    apply(result->candidates.front().choice, best);
    const auto ground = publishedGround(best);
    if (!ground) return failWith(ground.error());
    if (!options.out.empty()) {
        if (const Status saved = saveLayout(best, options.out); !saved) return failWith(saved.error());
    }
    if (!options.json) {
        print(resultText(loaded->layout, *result, top,
                         basisNote(costBasis(measurements, loaded->layout), loaded->layout).english(), *ground));
        return success;
    }
    Json evidence;
    if (*ground) {
        evidence = groundJson(**ground);
        evidence["candidates_within_band"] = candidatesWithinBand(result->candidates, **ground);
    }
    Json candidates = Json::array();
    for (const Candidate& candidate : std::span(result->candidates).first(top))
        candidates.push_back(candidateJson(candidate));
    print(Json{{"name", loaded->layout.name},
               {"device", modelledDevice(loaded->layout).name},
               {"capacity_bytes", result->device.capacityBytes},
               {"reserve_bytes", result->device.reserveBytes},
               {"usable_bytes", result->device.usableBytes()},
               {"legal", result->candidates.size()},
               {"fitting", std::ranges::count(result->candidates, true, &Candidate::fits)},
               {"evidence", std::move(evidence)},
               {"candidates", std::move(candidates)},
               {"faults", Json::array()}}
              .dump(2) +
          "\n");
    return success;
}

}  // namespace

void addSearch(CommandLine& line) {
    Verb verb(line, "search",
              "Plan for me: try the legal layouts for this model, cluster and batch, and show the best; what saves "
              "memory and costs time only where less does not fit");
    const auto options = std::make_shared<SearchOptions>();
    options->layout.addTo(verb);
    options->layout.addClusterTo(verb);
    verb.option("--top", options->top, "Candidates to show").between(1, 1000000).showDefault();
    verb.option("--out", options->out, "Write the best one to this layout file").typeName("FILE");
    verb.flag("--json", options->json, "Answer with one JSON object");
    verb.runs([options] { return search(*options); });
}

}  // namespace shardlab::cli
