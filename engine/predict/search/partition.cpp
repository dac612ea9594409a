// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/search/partition.h"

#include <algorithm>
#include <limits>

namespace shardlab::predict {
namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();

/// Sums over consecutive layers in one subtraction; layers are counted from 0, `end` is the first one beyond.
class LayerSums {
public:
    LayerSums(std::span<const LayerCost> layers, double bandwidth) : bandwidth_(bandwidth) {
        for (const LayerCost& layer : layers) {
            seconds_.push_back(seconds_.back() + layer.seconds);
            weights_.push_back(weights_.back() + static_cast<double>(layer.weightBytes));
            boundary_.push_back(2 * static_cast<double>(layer.outputBytes) / bandwidth);
        }
    }
    std::size_t count() const { return boundary_.size(); }
    double stage(std::size_t begin, std::size_t end, int replicas) const {
        const double n = replicas;
        const double compute = seconds_[end] - seconds_[begin];
        const double allReduce = 2 * (n - 1) / n * (weights_[end] - weights_[begin]) / bandwidth_;
        return std::max(compute, allReduce) / n;
    }
    /// Between layer `end` − 1 and the next.
    double boundary(std::size_t end) const { return boundary_[end - 1]; }

private:
    double bandwidth_;
    std::vector<double> seconds_{0}, weights_{0}, boundary_;
};

/// A(j, n), and the last stage it was made with.
struct Best {
    double slowest = unreached;
    std::size_t begin = 0;  ///< first layer of the last stage
    int replicas = 1;       ///< of the last stage
};

class ReplicatedPartition {
public:
    ReplicatedPartition(const LayerSums& layers, int workers)
        : layers_(layers), workers_(workers), table_((layers.count() + 1) * width()) {
        for (std::size_t end = 1; end <= layers.count(); ++end)
            for (int n = 1; n <= workers; ++n) at(end, n) = best(end, n);
    }

    Partition partition() {
        Partition found;
        found.slowest = at(layers_.count(), workers_).slowest;
        std::size_t end = layers_.count();
        for (int n = workers_; end > 0;) {
            const Best& last = at(end, n);
            found.stages.push_back(
                {static_cast<int>(end - last.begin), last.replicas, layers_.stage(last.begin, end, last.replicas)});
            end = last.begin;
            n -= last.replicas;
        }
        std::ranges::reverse(found.stages);
        return found;
    }

private:
    std::size_t width() const { return static_cast<std::size_t>(workers_) + 1; }
    Best& at(std::size_t end, int n) { return table_[end * width() + static_cast<std::size_t>(n)]; }

    Best best(std::size_t end, int n) {
        Best found = at(end, n - 1);  // a worker may stand idle
        const auto offer = [&](std::size_t begin, int replicas, double slowest) {
            if (slowest < found.slowest) found = {slowest, begin, replicas};
        };
        offer(0, n, layers_.stage(0, end, n));
        for (std::size_t begin = 1; begin < end; ++begin) {
            if (layers_.boundary(begin) >= found.slowest) continue;
            const auto with = [&](int replicas) {
                offer(begin, replicas,
                      std::max({at(begin, n - replicas).slowest, layers_.boundary(begin),
                                layers_.stage(begin, end, replicas)}));
            };
            if (n > 1) with(1);
            // From two replicas on more of them make a stage quicker and leave less for those below: the best is where
            // the two cross.
            int few = 2, many = n - 1;
            while (few < many) {
                const int middle = few + (many - few) / 2;
                if (layers_.stage(begin, end, middle) <= at(begin, n - middle).slowest) many = middle;
                else few = middle + 1;
            }
            if (many < few) continue;
            with(few);
            if (few > 2) with(few - 1);
        }
        return found;
    }

    const LayerSums& layers_;
    int workers_;
    std::vector<Best> table_;
};

/// The first layer of each stage's last …: a table over (layers, stages) filled from below by `better`.
class Split {
public:
    Split(const LayerSums& layers, int stages) : layers_(layers), stages_(static_cast<std::size_t>(stages)) {}

    /// Least value over all splits, where the last stage from `begin` to `end` turns the value of what is below it into
    /// join(value, seconds, boundary), never less than `value`; stages longer than `most` are none.
    template <class Join>
    double solve(double most, Join join) {
        const std::size_t count = layers_.count();
        std::vector<double> below(count + 1, unreached), values(count + 1);
        begins_.assign(stages_, std::vector<std::size_t>(count + 1));
        below[0] = 0;
        for (std::size_t stage = 0; stage < stages_; ++stage) {
            std::ranges::fill(values, unreached);
            for (std::size_t end = stage + 1; end <= count; ++end)
                for (std::size_t begin = end; begin-- > stage;) {
                    const double seconds = layers_.stage(begin, end, 1);
                    // Stages only become longer as they begin earlier.
                    if (seconds > most || join(0, seconds, 0) >= values[end]) break;
                    if (below[begin] == unreached) continue;
                    const double boundary = begin > 0 ? layers_.boundary(begin) : 0;
                    if (boundary > most) continue;
                    const double value = join(below[begin], seconds, boundary);
                    if (value >= values[end]) continue;
                    values[end] = value;
                    begins_[stage][end] = begin;
                }
            std::swap(below, values);
        }
        return below[count];
    }

    std::vector<int> layersOfStages() const {
        std::vector<int> split;
        std::size_t end = layers_.count();
        for (std::size_t stage = stages_; stage-- > 0;) {
            split.push_back(static_cast<int>(end - begins_[stage][end]));
            end = begins_[stage][end];
        }
        std::ranges::reverse(split);
        return split;
    }

private:
    const LayerSums& layers_;
    std::size_t stages_;
    std::vector<std::vector<std::size_t>> begins_;
};

}  // namespace

int Partition::workers() const {
    int sum = 0;
    for (const PartitionedStage& stage : stages) sum += stage.replicas;
    return sum;
}

bool Partition::uniform() const {
    return std::ranges::all_of(stages, [&](const PartitionedStage& s) { return s.replicas == stages[0].replicas; });
}

double stageSeconds(std::span<const LayerCost> stage, int replicas, double bandwidth) {
    return LayerSums(stage, bandwidth).stage(0, stage.size(), replicas);
}

Partition partition(std::span<const LayerCost> layers, int workers, double bandwidth) {
    const LayerSums sums(layers, bandwidth);
    return ReplicatedPartition(sums, workers).partition();
}

std::vector<int> balancedSplit(std::span<const LayerCost> layers, int stages, double bandwidth) {
    const LayerSums sums(layers, bandwidth);
    Split split(sums, stages);
    const double slowest = split.solve(unreached, [](double below, double seconds, double boundary) {
        return std::max({below, seconds, boundary});
    });
    // Sums of the same layers may differ in their last digits.
    split.solve(slowest * (1 + 1e-12), [](double below, double seconds, double) { return below + seconds * seconds; });
    return split.layersOfStages();
}

}  // namespace shardlab::predict
