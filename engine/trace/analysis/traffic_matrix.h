// SPDX-License-Identifier: Apache-2.0
// How many bytes go from each rank to each other one.
#pragma once

#include "engine/base/saturate.h"
#include "engine/trace/event/event.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/trace/run_file/run_file.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace shardlab::trace {

/// Messages go from their sender to the rank that holds the stage they are for. A collective goes round a ring,
/// whichever way it was made, each member sending to the next what SentBytes counts; an all-to-all goes in equal parts
/// to each other member.
class TrafficMatrix {
public:
    enum class Part : std::uint8_t { All, Messages, Collectives };
    struct Cell {
        std::int64_t bytes = 0;
        std::int64_t count = 0;  ///< sends

        void add(std::int64_t more, std::int64_t sends = 1) {
            bytes = saturatedSum(bytes, more);
            count += sends;
        }
    };

    explicit TrafficMatrix(const RunHeader& header);
    void add(const Event& event);

    int ranks() const { return mesh_.ranks(); }
    /// In which anything was counted; a prediction is one.
    int steps() const { return static_cast<int>(steps_.size()); }
    /// Over all steps.
    Cell cell(int from, int to, Part part) const;
    std::int64_t largest(Part part) const;   ///< bytes
    std::int64_t smallest(Part part) const;  ///< bytes of the cells that have any; 0 where none has
    std::int64_t total(Part part) const;     ///< bytes

private:
    enum class Sort : std::uint8_t { Message, Collective };
    using Link = std::pair<int, int>;
    /// To the next member of the group, the first after the last.
    void ring(const std::vector<int>& group, int rank, std::int64_t bytes);
    /// An equal part to each other member of the group.
    void toEach(const std::vector<int>& group, const Event& event);
    /// The rank that differs from `rank` along the pipeline axis alone.
    int inPlaceOf(int rank, int pipelineRank) const;
    // False where the event names no stage, or no worker, that there is.
    bool addMessage(const Event& event);
    bool addAtServer(const Event& event);
    bool addAtCentre(const Event& event);
    /// The cells of the sorts that `part` has.
    std::vector<const std::map<Link, Cell>*> of(Part part) const;
    std::map<Link, Cell> sums(Part part) const;

    Mesh mesh_;
    SentBytes sent_;
    std::vector<int> rankOfStage_;
    std::map<Sort, std::map<Link, Cell>> cells_;
    std::set<int> steps_;
};

}  // namespace shardlab::trace
