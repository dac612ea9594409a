// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_text.h"

#include "app/cli/print.h"
#include "app/cli/rank_table.h"
#include "app/cli/verbs.h"
#include "engine/base/device_time.h"
#include "engine/base/units.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/record/flight_record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardlab::cli {

namespace {

std::string outcome(const RunSummary& summary) {
    if (summary.recording) return "not known yet: the run goes on; what has been written by now is here";
    if (summary.end.outcome.empty() && !summary.end.reason.empty()) return "unknown: " + summary.end.reason;
    if (summary.end.outcome.empty()) return "unknown: the recording broke off; what had been written is here";
    if (summary.end.reason.empty()) return summary.end.outcome;
    // "stopped on request" says both.
    const bool both = summary.end.reason.starts_with(summary.end.outcome);
    return both ? summary.end.reason : summary.end.outcome + ": " + summary.end.reason;
}

std::string paceText(const RunSummary& summary) {
    const Sentence slowed =
        DeviceTime(summary.stretch).text(summary.stepSeconds > 0 ? summary.stepSeconds : summary.predictedStepSeconds);
    return fmt::format("{}{}figures are in the modelled devices' time, moments on the run's clock", slowed,
                       slowed.empty() ? "" : "; ");
}

std::string figures(const RunSummary& summary) {
    const bool steady = summary.stepSeconds > 0;
    const std::string idle = summary.computes ? formatPercent(summary.bubble) : std::string(unknownCell);
    if (!summary.hasLayout)
        return fmt::format("steady steps\nstep time  {}\nidle       {}\n",
                           steady ? formatSeconds(summary.stepSeconds) : std::string(unknownCell),
                           steady ? idle : std::string(unknownCell));
    const auto measured = [&](const std::string& text) { return steady ? text : std::string(unknownCell); };
    Table table({"steady steps", "measured", "predicted", "theory"});
    table.add(
        {"step time", measured(formatSeconds(summary.stepSeconds)), formatSeconds(summary.predictedStepSeconds), ""});
    table.add(
        {"bubble", measured(idle), formatPercent(summary.predictedBubble), formatPercent(summary.theoreticalBubble)});
    if (const auto& moved = summary.communication; moved && steady) {
        table.add({"hidden communication", formatSeconds(moved->hidden), "", ""});
        table.add({"exposed communication",
                   fmt::format("{}, {} of a step", formatSeconds(moved->exposed),
                               formatPercent(moved->exposed / summary.stepSeconds)),
                   "", ""});
    }
    if (steady && summary.ranks.size() > 1 && (summary.computes || summary.sentBytes > 0))
        table.add({"traffic", formatBytes(std::llround(summary.sentBytes)) + " a step, sent by all ranks", "", ""});
    table.add({std::string(summary.counted) + "/s", measured(formatCount(summary.tokensPerSecond)), "", ""});
    if (!summary.peak.known()) return table.text();
    const auto share = [](std::optional<double> mfu) { return mfu ? utilisationText(*mfu) : std::string(unknownCell); };
    table.add({"MFU", share(summary.mfu), share(summary.predictedMfu), ""});
    return table.text() +
           fmt::format(
               "MFU: what the model needs (forward, backward of twice that, nothing for recomputation) as a share of\n"
               "     the peak of {}: {}FLOP/s\n",
               summary.peak.of, formatCount(summary.peak.flops));
}

std::string ranks(const RunSummary& summary, bool all) {
    const bool foreign = !summary.hasLayout;
    const bool hosts = std::ranges::any_of(summary.ranks, [](const RankFigures& rank) { return total(rank.host) > 0; });
    std::vector<std::string> headings{"host"};
    if (all || foreign) headings.emplace_back("pid");
    headings.emplace_back("peak");
    if (!foreign) headings.emplace_back("predicted");
    for (int category = 0; category < memoryCategoryCount; ++category)
        if (!foreign) headings.emplace_back(name(static_cast<MemoryCategory>(category)));
    if (hosts) headings.emplace_back("on its host");
    headings.emplace_back("end");
    const auto figures = [&](int number) {
        const RankFigures& rank = summary.ranks[static_cast<std::size_t>(number)];
        std::vector<std::string> row{rank.record.host};
        if (all || foreign)
            row.push_back(rank.record.pid > 0 ? std::to_string(rank.record.pid) : std::string(unknownCell));
        row.push_back(rank.peak == 0 ? std::string(unknownCell) : formatBytes(rank.peak));
        if (!foreign) row.push_back(formatBytes(rank.predictedPeak));
        for (std::int64_t bytes : rank.memory)
            if (!foreign) row.push_back(total(rank.memory) == 0 ? std::string(unknownCell) : formatBytes(bytes));
        if (hosts) row.push_back(formatBytes(total(rank.host)));
        row.push_back(rank.record.end.empty() ? std::string(unknownCell) : rank.record.end);
        return row;
    };
    if (!foreign) return rankTable(summary.layout, Mesh(summary.layout), std::move(headings), figures, all);
    headings.insert(headings.begin(), {"rank", "label"});
    Table table(std::move(headings));
    for (const RankFigures& rank : summary.ranks) {
        std::vector<std::string> row = figures(rank.record.rank);
        row.insert(row.begin(), {std::to_string(rank.record.rank), rank.record.label});
        table.add(std::move(row));
    }
    return table.text();
}

std::string clocks(const RunSummary& summary) {
    if (summary.clocks.empty()) return {};
    Table table({"clock of host", "ahead of the launcher's", "drift", "compared at"});
    for (const HostClock& clock : latestOf(summary.clocks))
        table.add({clock.host, toText(clock),
                   clock.drift == 0 ? std::string(unknownCell) : fmt::format("{:+.1f} µs/s", clock.drift * 1e6),
                   formatSeconds(static_cast<double>(clock.time) * 1e-9)});
    return "\n" + table.text();
}

std::string stragglers(const RunSummary& summary) {
    if (summary.stragglers.empty()) return {};
    std::string text = "\nStragglers\n";
    for (const Straggler& one : summary.stragglers) text += fmt::format("  {}\n", toText(one));
    return text;
}

std::string flight(const RunSummary& summary) {
    if (summary.flight.empty()) return {};
    std::string text = "\nLast messages and collectives of each rank\n";
    for (const LogLine& line : summary.flight)
        text += fmt::format("  rank {:<4}{}\n", line.rank, line.text.substr(flightPrefix.size()));
    return text;
}

}  // namespace

Result<RunSummary> summaryOf(const std::string& file) {
    const auto reader = RunReader::open(file);
    return reader ? summarize(**reader) : Result<RunSummary>(fail(reader.error()));
}

std::string toText(const RunSummary& summary, const std::string& file, bool all) {
    std::string text;
    const auto line = [&](std::string_view label, const std::string& value) {
        text += fmt::format("{:<14}{}\n", label, value);
    };
    line("Run", file);
    if (summary.hasLayout) line("Layout", summary.layout.name + (summary.paced ? " (paced)" : ""));
    if (!summary.origin.empty())
        line("From",
             summary.layout.name == summary.origin ? summary.layout.name : summary.layout.name + ", " + summary.origin);
    if (summary.paced) line("Pace", paceText(summary));
    line("Recorded", summary.created);
    line("Outcome", outcome(summary));
    line("Steps", summary.origin.empty() ? fmt::format("{} of {}", summary.losses.size(), summary.stepsAsked)
                                         : std::to_string(summary.stepsDone));
    if (summary.withoutDetails > 0)
        line("Details",
             fmt::format("of {} of them, so that watching takes little of their time: bubble, waits, traffic "
                         "and stragglers are of those",
                         summary.stepsDone - summary.withoutDetails));
    std::string restarts;
    for (const Event& restart : summary.restarts)
        restarts +=
            fmt::format("{}at {} from step {}{}{}", restarts.empty() ? "" : ", ",
                        formatSeconds(static_cast<double>(restart.begin) * 1e-9), restart.step,
                        ranksAfter(restart) ? fmt::format(" with {} ranks", *ranksAfter(restart)) : std::string(),
                        restartNumber(restart) == 0 ? " (asked for)" : "");
    if (!restarts.empty()) line("Restarts", restarts);
    if (const CheckpointTally& tally = summary.checkpoints; tally.taken + tally.failed > 0)
        line("Checkpoints", fmt::format("{} taken{}{}", tally.taken,
                                        tally.taken > 0 ? fmt::format(", the newest of step {}", tally.newest) : "",
                                        tally.failed > 0 ? fmt::format(", {} failed", tally.failed) : ""));
    if (!summary.losses.empty()) {
        const auto told = std::ranges::find_if(summary.losses, [](double loss) { return std::isfinite(loss); });
        const double first = summary.origin.empty() || told == summary.losses.end() ? summary.losses.front() : *told;
        line("Loss", fmt::format("{:.4f} → {:.4f}", first, summary.losses.back()));
    }
    if (!summary.validations.empty())
        line("Validation", fmt::format("{:.4f} after {} steps", summary.validations.back().loss,
                                       summary.validations.back().step + 1));
    line("Events", fmt::format("{}{}", summary.events,
                               summary.droppedEvents > 0 ? fmt::format(", {} dropped", summary.droppedEvents) : ""));
    if (const Thinning& thinning = summary.thinning; thinning.sizeLimit > 0) {
        line("Size limit", fmt::format("{}, {}", formatBytes(thinning.sizeLimit), thinning.policy()));
        line("Kept", keptText(thinning));
        if (const std::string thinned = thinnedText(thinning); !thinned.empty()) line("Thinned", thinned);
    }
    return text + "\n" + figures(summary) + "\n" + ranks(summary, all) + clocks(summary) + stragglers(summary) +
           flight(summary);
}

int wasWhole(const RunReader& run) {
    if (!run.damage()) return success;
    return failWith(*run.damage());
}

}  // namespace shardlab::cli
