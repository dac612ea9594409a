// SPDX-License-Identifier: Apache-2.0
// One side of a comparison: its steps, and how long each action of some ranks took in each of them.
#pragma once

#include "engine/base/device_time.h"
#include "engine/trace/metrics/summary.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/trace/run_file/run_file.h"

#include <compare>
#include <unordered_map>

namespace shardlab::trace {

/// An action of one rank, the same in every step.
struct SpanKey {
    std::int16_t rank = 0;
    EventKind kind = EventKind::None;
    ActionId action = 0;
    auto operator<=>(const SpanKey&) const = default;
};

struct SpanKeyHash {
    std::size_t operator()(const SpanKey& key) const {
        const std::uint64_t place = static_cast<std::uint64_t>(static_cast<std::uint16_t>(key.rank)) << 8 |
                                    static_cast<std::uint64_t>(key.kind);
        return std::hash<std::uint64_t>()(key.action * 0x9e3779b97f4a7c15u ^ place);
    }
};

struct SpanTime {
    std::int32_t step = 0;
    std::int32_t count = 0;        ///< pieces of the action
    std::int64_t nanoseconds = 0;  ///< all of them
};

/// Over chosen steps.
struct SpanSum {
    double seconds = 0;
    std::int64_t count = 0;
    int steps = 0;  ///< in which there was any
};

/// What it tells is device time (engine/base/device_time.h), whatever the run was paced by.
class ComparisonSide {
public:
    ComparisonSide(const RunHeader& header, bool predicted);
    /// For steps and spans.
    void add(std::span<const Event> events);
    /// For spans alone.
    void addSpans(std::span<const Event> events);
    /// For steps alone; spans of superseded ones are then left out by the restarts among events.
    void put(const StepSummary& step);
    void forgetSpans() { spans_.clear(); }

    bool predicted() const { return predicted_; }
    const RunHeader& header() const { return header_; }
    const Mesh& mesh() const { return mesh_; }
    const Summarizer& summary() const { return summary_; }
    /// Complete ones, ascending, without those that an elastic run did with fewer ranks than its layout's: they have
    /// other actions; and without those whose spans were not recorded. None of a prediction.
    std::vector<int> completeSteps() const;
    int stepsWithFewerRanks() const;
    /// What the step took, or is predicted to take where predicted().
    double stepSeconds(int step) const;
    double bubble(int step) const;
    /// What all ranks together sent in a step (SentBytes); of a prediction, once all its spans were added.
    double sentBytes(int step) const;
    std::optional<double> loss(int step) const;

    using Spans = std::unordered_map<SpanKey, std::vector<SpanTime>, SpanKeyHash>;
    const Spans& spans() const { return spans_; }
    /// Nanoseconds of a span in a step; none where the step does not have it.
    std::optional<std::int64_t> in(const std::vector<SpanTime>& times, int step) const;
    /// The sum over the steps; a prediction's one step counts as often as there are steps.
    SpanSum over(const std::vector<SpanTime>& times, std::span<const int> steps) const;

private:
    RunHeader header_;
    DeviceTime device_;
    bool predicted_;
    Mesh mesh_;
    SentBytes sent_;
    std::int64_t predictedSent_ = 0;
    Summarizer summary_;
    Restarts restarts_;
    Spans spans_;
};

}  // namespace shardlab::trace
