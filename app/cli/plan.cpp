// SPDX-License-Identifier: Apache-2.0
#include "app/cli/fault_json.h"
#include "app/cli/layout_argument.h"
#include "app/cli/plan_json.h"
#include "app/cli/plan_text.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "app/cli/waterfall_print.h"
#include "app/cli/whole_run_print.h"
#include "engine/launch/job/input_files.h"
#include "engine/predict/evidence/published_ground.h"
#include "engine/predict/search/nearest_legal.h"

#include <memory>
#include <nlohmann/json.hpp>

namespace shardlab::cli {

namespace {

using Json = nlohmann::ordered_json;

struct PlanOptions {
    LayoutArgument layout;
    std::string profile;
    bool json = false;
    bool memoryCurve = false;
    bool criticalPath = false;
    bool all = false;
    bool waterfall = false;
    WholeRunQuestion run;
};

std::string answer(const Plan& plan, const std::optional<PublishedGround>& ground, const PlanOptions& options) {
    StepGraph graph;
    CriticalPath path;
    if (options.criticalPath) {
        StepCosts costs = plan.costs;
        costs.stretch = 1;
        graph = stepGraph(plan.lowered, costs);
        path = criticalPath(graph);
    }
    if (options.json) {
        Json json = planJson(plan);
        json["evidence"] = ground ? groundJson(*ground) : Json(nullptr);
        json["waterfall"] = waterfallJson(waterfall(plan));
        json["whole_run"] = options.run.tokens > 0 ? wholeRunJson(wholeRun(plan, options.run)) : Json(nullptr);
        if (options.memoryCurve) json["memory_curve"] = memoryCurveJson(plan);
        if (options.criticalPath) json["critical_path"] = criticalPathJson(graph, path);
        return json.dump(2) + "\n";
    }
    std::string text = planText(plan, ground ? ground->text() : std::string(), options.all);
    if (options.run.tokens > 0) text += "\n" + wholeRunText(wholeRun(plan, options.run));
    if (options.waterfall) text += "\n" + waterfallText(waterfall(plan));
    if (options.memoryCurve) text += "\n" + memoryCurveText(plan);
    if (options.criticalPath) text += "\n" + criticalPathText(graph, path);
    return text;
}

int plan(const PlanOptions& options) {
    if (options.run.tokens > 0)
        if (const std::string fault = faultOf(options.run); !fault.empty())
            return failWith(
                {"cannot predict a whole run", "", fault, "--tokens 15.6e12 --mtbf 50000 --checkpoint-time 30"});
    const auto loaded = load(options.layout);
    if (!loaded) return failWith(loaded.error());
    const auto measurements = options.profile.empty() ? measurementsOfThisMachine() : measurementsOf(options.profile);
    if (!measurements) return failWith(measurements.error());
    std::vector<Fault> faults = loaded->faults;
    if (faults.empty()) {
        const auto made = makePlan(loaded->layout, *measurements);
        faults = made ? misfits(loaded->layout, false) : made.error();
        if (faults.empty()) {
            printNotes(unjudged(loaded->layout, false));
            const auto ground = publishedGround(loaded->layout);
            if (!ground) return failWith(ground.error());
            print(answer(*made, *ground, options));
            return success;
        }
    }
    printFaults(faults);
    const auto legal = nearestLegal(loaded->layout);
    const bool changes = legal && !legal->changes.empty();
    if (changes) printNote("Nearest legal layout: " + toText(*legal));
    if (options.json) {
        print(Json{{"name", loaded->layout.name},
                   {"faults", faultsJson(faults)},
                   {"nearest_legal", changes ? fieldsJson(legal->changes) : Json()}}
                  .dump(2) +
              "\n");
    }
    return failure;
}

}  // namespace

void addPlan(CommandLine& line) {
    Verb verb(line, "plan", "Predict step time, bubble, memory and traffic of a layout");
    const auto options = std::make_shared<PlanOptions>();
    options->layout.addTo(verb);
    options->layout.addClusterTo(verb);
    options->layout.addScheduleTo(verb);
    verb.option("--profile", options->profile, "Use this profile; by default one of the user's that fits")
        .typeName("FILE");
    verb.flag("--json", options->json, "Answer with one JSON object");
    verb.flag("--all", options->all, "Give every rank a row; by default ranks that are alike share one");
    verb.flag("--waterfall", options->waterfall,
              "Tell too where the step's time goes; with --json that is always told");
    const Option tokens =
        verb.option("--tokens", options->run.tokens,
                    "Tell too what training on so many tokens takes, 15.6e12 say: days, device hours, steps")
            .positive();
    verb.option("--price", options->run.price, "What a device's hour costs, for the cost of that run")
        .nonNegative()
        .needs(tokens);
    const Option mtbf = verb.option("--mtbf", options->run.failureHours,
                                    "Mean hours between failures of one device; of a host's or a link's failures too")
                            .positive()
                            .needs(tokens);
    const Option saving = verb.option("--checkpoint-time", options->run.checkpointSeconds,
                                      "Seconds of a checkpoint, in which nothing trains")
                              .positive()
                              .needs(tokens);
    verb.option("--restart-time", options->run.restartSeconds, "Seconds from a failure until training goes on")
        .nonNegative()
        .needs(mtbf);
    verb.option("--interval", options->run.interval,
                "Seconds of work between checkpoints; by default the best for these failures")
        .positive()
        .needs(saving);
    verb.flag("--memory-curve", options->memoryCurve, "Tell each rank's memory over the step too, by category");
    verb.flag("--critical-path", options->criticalPath,
              "Tell too which chain of actions decides how long the step takes; with --json every action's slack");
    verb.runs([options] { return plan(*options); });
}

}  // namespace shardlab::cli
