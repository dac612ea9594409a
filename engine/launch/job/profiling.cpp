// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/profiling.h"

#include "engine/base/clock.h"
#include "engine/launch/job/run_summary.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/profile_noise.h"
#include "engine/predict/plan/profile_store.h"

#include <algorithm>
#include <map>
#include <vector>

namespace shardlab::launch {
namespace {

/// Measures how much of a rank's step lies between its spans, for each of its actions.
class Overhead {
public:
    void add(const Event& event) {
        if (event.kind == EventKind::Step) {
            Step& step = steps_[{event.step, event.rank}];
            step.length = event.end - event.begin;
            return;
        }
        const bool reduction = event.kind == EventKind::ReduceGradients || event.kind == EventKind::ReduceTied ||
                               event.kind == EventKind::ReduceNorm || isServerExchange(event.kind);
        if (event.lane != Lane::Compute && !reduction) return;
        Step& step = steps_[{event.step, event.rank}];
        step.covered += event.end - event.begin;
        if (event.kind != EventKind::Wait) ++step.actions;
    }

    /// Median over steps and ranks, seconds.
    double perAction() const {
        std::vector<double> each;
        for (const auto& [key, step] : steps_)
            if (step.length > 0 && step.actions > 0)
                each.push_back(toSeconds(step.length - step.covered) / step.actions);
        if (each.empty()) return 0;
        const auto middle = each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2);
        std::ranges::nth_element(each, middle);
        return std::max(0.0, *middle);
    }

private:
    struct Step {
        std::int64_t length = 0;   ///< nanoseconds
        std::int64_t covered = 0;  ///< by spans
        int actions = 0;
    };
    std::map<std::pair<int, int>, Step> steps_;  ///< by step and rank
};

/// How far the seconds of complete steps lie apart, without those that warm up.
double spreadOfSteps(const Summarizer& steps) {
    std::vector<double> seconds;
    std::size_t complete = 0;
    for (const StepSummary& step : steps.steps())
        if (step.complete && ++complete > warmUpSteps) seconds.push_back(step.seconds);
    return spreadOf(std::move(seconds));
}

}  // namespace

Layout profiledLayout(Layout layout) {
    layout.cluster.pace.reset();
    layout.run.steps = Profiling::steps;
    layout.run.validateEvery = 0;
    layout.run.validationBatches = 1;
    return layout;
}

Result<std::unique_ptr<Profiling>> Profiling::start(const Layout& layout, RunObserver& observer,
                                                    const std::filesystem::path& rankProgram) {
    if (layout.cluster.device != DeviceKind::Cpu)
        return fail(Error{say("cannot measure the layout"), "/cluster/device",
                          say("what is measured are the processor's cores"), "cpu"});
    auto folder = TemporaryFolder::create(temporaryBase());
    if (!folder) return fail(folder.error());
    JobOptions options;
    options.layout = profiledLayout(layout);
    options.runFile = folder->path() / "profile.shardlab";
    options.rankProgram = rankProgram;
    options.profile = folder->path() / "profile.json";
    auto job = Job::start(options, observer);
    if (!job) return fail(job.error());
    return std::make_unique<Profiling>(std::move(*folder), std::move(*job));
}

Result<Profile> Profiling::result() const {
    const auto run = RunReader::open(job_->runFile());
    if (!run) return fail(run.error());
    if ((*run)->end().outcome != "finished")
        return fail(Error{say("nothing was measured"),
                          {},
                          say("the run was {}: {}", (*run)->end().outcome, (*run)->end().reason),
                          {}});
    auto profile = loadProfile(folder_.path() / "profile.json");
    if (!profile) return profile;
    Overhead overhead;
    RunFigures figures((*run)->header());
    const Status read = (*run)->readEvents([&](std::span<const Event> events) {
        for (const Event& event : events) overhead.add(event);
        figures.add(events);
        return true;
    });
    if (!read) return fail(read.error());
    profile->actionSeconds = overhead.perAction();
    profile->stepSeconds = figures.summary().stepSeconds;
    profile->spreads.push_back({"training steps", spreadOfSteps(figures.steps())});
    const auto plan = makePlan(profile->layout, Measurements{profile->machine, {*profile}, {}});
    if (!plan) return fail(Error{say("the measured layout cannot be planned"), {}, toText(plan.error()), {}});
    profile->predictedStepSeconds = plan->stepSeconds;
    return profile;
}

}  // namespace shardlab::launch
