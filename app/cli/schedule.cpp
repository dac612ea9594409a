// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/layout_argument.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/base/clock.h"
#include "engine/predict/plan/plan.h"
#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"
#include "engine/layout/schedule/validate.h"

namespace shardlab::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ScheduleOptions {
    LayoutArgument layout;
    std::string kind;
    std::string file;
    int stages = 4;
    int chunks = 0;
    int microbatches = 8;
    int inFlight = 0;
    std::string format = "grid";
};

/// A schedule that is printed, and one simulated step of it.
struct Timed {
    Schedule compute;
    Simulation simulation;
    Mesh mesh;
    std::optional<double> theory;  ///< none where no method wrote it
    std::string unitName = "seconds";
};

/// A schedule by itself has no model: a forward takes one unit, a backward two, messages nothing.
Timed timedAlone(Schedule schedule, std::optional<double> theory) {
    Layout layout;
    layout.parallel.data = 1;
    layout.parallel.pipeline = static_cast<int>(schedule.ranks.size());
    layout.cluster.hosts.front().devices = layout.parallel.pipeline;
    const Mesh mesh(layout);
    StepCosts costs;
    costs.stages.assign(static_cast<std::size_t>(schedule.stages()), StageCosts{1, 2, 1, 1});
    Simulation simulation = simulate(addTransfers(schedule), costs, mesh);
    return Timed{std::move(schedule), std::move(simulation), mesh, theory, "forwards"};
}

/// Reads one line a rank, as --format csv and torch.distributed.pipelining write them, and proves the schedule.
Result<Timed> timedFromFile(const std::string& file) {
    Result<ImportedSchedule> imported = readSchedule(file);
    if (!imported) return fail(imported.error());
    printNotes(imported->notes);
    if (const Status valid = validate(imported->compute); !valid) return fail(valid.error());
    return timedAlone(std::move(imported->compute), std::nullopt);
}

Result<Timed> timedByKind(const ScheduleOptions& options) {
    const ScheduleMethod* method = findScheduleMethod(options.kind);
    const int chunks = options.chunks > 0 || method == nullptr ? options.chunks : method->minChunks;
    const ScheduleShape shape{options.stages, chunks, options.microbatches, options.inFlight};
    auto compute = generateSchedule(options.kind, shape);
    if (!compute) return fail(compute.error());
    return timedAlone(*std::move(compute), method->theoreticalBubble(shape));
}

Json timedJson(const Timed& timed) {
    std::vector<Json> ranks(static_cast<std::size_t>(timed.mesh.ranks()), Json::array());
    for (const Event& event : timed.simulation.events)
        if (event.action != 0)
            ranks[static_cast<std::size_t>(event.rank)].push_back(Json{{"action", toText(actionFromId(event.action))},
                                                                       {"lane", name(event.lane)},
                                                                       {"begin", toSeconds(event.begin)},
                                                                       {"end", toSeconds(event.end)}});
    Json list = Json::array();
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        list.push_back(
            {{"rank", rank},
             {"stages", timed.compute.stagesOf(timed.mesh.coordinate(static_cast<int>(rank), Axis::Pipeline))},
             {"actions", std::move(ranks[rank])}});
    return {
        {"kind", timed.compute.kind},
        {"stages", timed.compute.stages()},
        {"microbatches", timed.compute.microbatches},
        {"unit", timed.unitName},
        {"step", timed.simulation.stepSeconds},
        {"bubble", {{"predicted", timed.simulation.bubble}, {"theory", timed.theory ? Json(*timed.theory) : Json()}}},
        {"ranks", std::move(list)}};
}

int printTimed(const Timed& timed, const std::string& format) {
    if (format == "csv") printData(toCsv(timed.compute));
    else if (format == "json") print(timedJson(timed).dump(2) + "\n");
    else print(toGrid(timed.compute));
    return success;
}

int schedule(const ScheduleOptions& options) {
    if (options.layout.layout.empty()) {
        const auto timed = options.file.empty() ? timedByKind(options) : timedFromFile(options.file);
        if (timed) return printTimed(*timed, options.format);
        return failWith(timed.error());
    }
    LayoutArgument layout = options.layout;
    layout.schedule = options.file;
    const auto loaded = load(layout);
    if (!loaded) return failWith(loaded.error());
    std::vector<Fault> faults = loaded->faults;
    if (faults.empty()) {
        auto plan = makePlan(loaded->layout);
        if (plan)
            return printTimed({std::move(plan->compute), std::move(plan->simulation), plan->mesh, plan->bubbleTheory},
                              options.format);
        faults = plan.error();
    }
    return failWith(faults);
}

}  // namespace

void addSchedule(CommandLine& line) {
    Verb verb(line, "schedule", "Print a pipeline schedule, of a layout or of a kind");
    const auto options = std::make_shared<ScheduleOptions>();
    Option layout = options->layout.addTo(verb, false);
    std::string kinds;
    for (const ScheduleMethod& method : generatedMethods())
        kinds += (kinds.empty() ? "" : ", ") + std::string(method.name);
    Option kind = verb.option("--kind", options->kind, "Instead of a layout: " + kinds).typeName("KIND");
    verb.option("--stages", options->stages, "Pipeline ranks of --kind").needs(kind).showDefault();
    verb.option("--chunks", options->chunks, "Stages on each rank of --kind; left out: the fewest it works with")
        .needs(kind)
        .positive();
    verb.option("--microbatches", options->microbatches, "Microbatches of --kind").needs(kind).showDefault();
    verb.option("--in-flight", options->inFlight, "Most microbatches a rank of --kind holds, where it takes a limit")
        .needs(kind);
    verb.option("--format", options->format,
                "grid: a picture of time × rank; csv: one line a rank, compute only, as torch.distributed.pipelining "
                "reads it; json: with simulated times")
        .oneOf({"grid", "csv", "json"})
        .showDefault();
    verb.flag(
        "--json", [options] { options->format = "json"; }, "The same as --format json");
    const Option file =
        verb.option("--file", options->file,
                    "A schedule as CSV, one line a rank, proved and timed: alone in units of a forward, or with a "
                    "LAYOUT as its own; as --format csv and torch.distributed.pipelining write it")
            .typeName("CSV");
    layout.excludes(kind);
    kind.excludes(file);
    verb.runs([options] { return schedule(*options); },
              [options] {
                  const bool none = options->layout.layout.empty() && options->kind.empty() && options->file.empty();
                  return std::string(none ? "a LAYOUT, --kind or --file" : "");
              });
}

}  // namespace shardlab::cli
