// SPDX-License-Identifier: Apache-2.0
// Two runs side by side, or a run beside its own prediction: aligned by rank, step and action.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/run_file/run_file.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shardlab::trace {

/// A figure of both sides; none where a side does not have what it is a figure of.
struct Compared {
    std::optional<double> a;
    std::optional<double> b;
    std::optional<double> difference() const;  ///< b − a
    std::optional<double> relative() const;    ///< (b − a) ÷ a; none where a is 0
};

struct ComparedSide {
    std::string name;        ///< of the layout
    bool predicted = false;  ///< one predicted step, compared with every step of the other side
    bool paced = false;
    /// The run is paced: its times here are those of the modelled devices (engine/base/device_time.h).
    double stretch = 1;
    int ranks = 0;
    int steps = 0;  ///< complete ones
};

/// Seconds, of a step and mean over the compared steps, unless said otherwise.
struct RunComparison {
    struct Step {
        int step = 0;
        Compared seconds;
        Compared loss;
    };
    struct Kind {
        EventKind kind = EventKind::None;
        Compared count;    ///< spans of a step on all ranks
        Compared seconds;  ///< mean over the side's ranks
    };
    struct Rank {
        int a = 0;
        int b = 0;
        std::string label;  ///< of the place in the mesh, "dp0 pp1"
        Compared computing;
        Compared waiting;
        Compared communicating;  ///< sends and collectives, hidden and exposed
        Compared updating;       ///< optimizer, and the gradient's norm where a replica is one rank
    };
    /// Computing of a stage, mean over the ranks that hold it.
    struct Stage {
        int stage = 0;
        std::pair<int, int> layersA{0, -1};  ///< first and last; empty where last < first
        std::pair<int, int> layersB{0, -1};
        Compared seconds;
    };
    /// A stage's computing in equal parts to its layers.
    struct Layer {
        int layer = 0;
        int stageA = -1;
        int stageB = -1;
        Compared seconds;
    };
    /// The losses of the steps that both sides completed, the first ones that are not compared included.
    struct Losses {
        int steps = 0;         ///< that have a loss
        double tolerance = 0;  ///< |b − a| ÷ |a| up to which a difference is rounding (lossTolerance)
        double largest = 0;    ///< the largest |b − a| ÷ |a|; infinite where one of both is not finite
        int largestStep = 0;
        std::optional<int> firstApart;  ///< the first step whose difference is more than rounding
    };
    /// One action on one rank, over all compared steps.
    struct Difference {
        EventKind kind = EventKind::None;
        ActionId action = 0;
        int rankA = 0;
        int rankB = 0;
        int steps = 0;  ///< in which both sides have it
        Compared seconds;
        int worstStep = 0;  ///< in which the sides differ most
        double worst = 0;   ///< b − a in that step
    };

    ComparedSide a;
    ComparedSide b;
    int firstStep = 0;  ///< of those compared
    int lastStep = 0;
    int stepCount = 0;
    Compared stepSeconds;          ///< median
    Compared bubble;               ///< a share; median
    Compared sentBytes;            ///< of all ranks together (SentBytes); median
    std::vector<Step> steps;       ///< those of both sides, the first ones that are not compared included
    std::optional<Losses> losses;  ///< none where no step has a loss on both sides: a prediction has none
    std::vector<Kind> kinds;
    std::vector<Rank> ranks;
    std::vector<Stage> stages;
    std::vector<Layer> layers;
    std::vector<Difference> largest;  ///< ten at most; waits are left out, as they follow from the others
    std::int64_t alignedActions = 0;  ///< of a rank and a step
    std::vector<Sentence> notes;      ///< what could not be aligned, and why figures may not mean the same
};

/// Side A is what B is compared with.
class RunComparer {
public:
    enum class Side { A, B };
    /// `aPredicted`: A's events are one predicted step.
    RunComparer(const RunHeader& a, bool aPredicted, const RunHeader& b);
    ~RunComparer();
    /// Takes the events of each lane in the order of its steps; lanes and ranks may interleave.
    void add(Side side, std::span<const Event> events);
    /// Error: no step is complete on both sides.
    Result<RunComparison> comparison() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// `cancelled` is asked now and then; may be empty. Cancelling is an error too.
Result<RunComparison> compareRuns(const RunReader& a, const RunReader& b, const std::function<bool()>& cancelled = {});
/// A: what was predicted, B: what was measured.
Result<RunComparison> compareWithPrediction(const RunReader& run, const std::function<bool()>& cancelled = {});

/// Up to which share of a loss two runs that do the same mathematics in another order may differ: 1e-5 in fp32; where
/// one of the layouts computes in 16 bits, two units in the last place of that format (2⁻⁷ for bf16, 2⁻¹⁰ for fp16).
double lossTolerance(const Layout& a, const Layout& b);

/// The steps' losses compared; none where no step has one.
std::optional<RunComparison::Losses> compareLosses(std::span<const RunComparison::Step> steps, double tolerance);

/// Where rank `rank` of one mesh is in another: the same place on every axis; -1 where there is none.
int counterpart(const Layout& from, int rank, const Layout& to);

/// "+12.3 %", "−0.4 %", from +1000 % on "×1440"; "–" where it is not known.
std::string formatChange(const Compared& figure);
/// "+1.25 ms"; "–" where it is not known.
std::string formatDifference(const Compared& figure);

/// The object that `shardlab compare --json` prints.
std::string toJson(const RunComparison& comparison, const std::string& nameA, const std::string& nameB);

}  // namespace shardlab::trace
