// SPDX-License-Identifier: Apache-2.0
// Which rank or link is slower than those that do the same, since when and by how much.
#pragma once

#include "engine/base/device_time.h"
#include "engine/trace/event/event.h"
#include "engine/trace/event/restarts.h"
#include "engine/trace/metrics/step_figures.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/trace/run_file/run_file.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

enum class StragglerCause : std::uint8_t {
    Compute,  ///< its own actions last longer
    Wait,     ///< it stands still: neither computes nor waits for a message, between a step's first and last action
    Link,     ///< what it sends to one neighbour takes longer
};
std::string_view name(StragglerCause cause);  ///< "compute", "wait", "link"

struct Straggler {
    int rank = 0;
    StragglerCause cause = StragglerCause::Compute;
    int peer = -1;  ///< of a link: who it sends to
    int firstStep = 0;
    int lastStep = 0;
    int steps = 0;        ///< of these, those in which it was slow
    double measured = 0;  ///< seconds of such a step, mean; of a paced run those of the modelled devices
    double expected = 0;  ///< the same, of those that do the same work
    double excess() const { return measured - expected; }
    bool operator==(const Straggler&) const = default;
};

/// "rank 5 · compute 184 ms a step, 14.0 % more than its like (161 ms), steps 12–40"
std::string toText(const Straggler& straggler);

/// A rank's like are its replicas: those with its place in the pipeline. Where there are none it is held against its
/// own prediction, times what the other ranks measure against theirs. Slow is what exceeds this by a tenth and by 2 %
/// of the step; a straggler is slow in three steps or more, with no more than two others between.
class StragglerWatch {
public:
    explicit StragglerWatch(const RunHeader& header);
    /// One step of all ranks.
    void addPredicted(std::span<const Event> events);
    /// Measured; lanes ascend. After a restart what was done again counts. Steps that not all ranks did, or of
    /// which a rank has no spans, are not judged.
    void add(std::span<const Event> events);
    /// Figures that were stored, in place of the step's events.
    void put(const StepFigures& step);
    /// Largest excess over all its steps first.
    std::vector<Straggler> stragglers() const;

private:
    /// Nanoseconds of one step.
    struct RankTime {
        std::int64_t busy = 0;
        IdleTime standing;
        std::map<int, std::int64_t> sent;  ///< by peer
        bool judged = false;               ///< it ended, and its spans were recorded
    };
    struct StepTime {
        std::vector<RankTime> ranks;
        std::int64_t begin = INT64_MAX;
        std::int64_t end = 0;
    };
    void add(const Event& event, RankTime& rank) const;
    /// Who rank `rank` sends to from a stage; -1 where that is nobody.
    int peerOf(int rank, EventKind send, int stage) const;
    StepTime& timeOf(int step);

    Mesh mesh_;
    DeviceTime device_;
    std::vector<int> rankOfStage_;
    std::vector<RankTime> predicted_;
    std::map<int, StepTime> steps_;
    Restarts restarts_;
};

}  // namespace shardlab::trace
