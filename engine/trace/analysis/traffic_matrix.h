// SPDX-License-Identifier: Apache-2.0
// How many bytes go from each rank to each other one.
#pragma once

#include "engine/trace/event/event.h"
#include "engine/layout/flat_units.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/trace/run_file/run_file.h"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace shardlab {

/// Messages go from their sender to the rank that holds the stage they are for. A collective is counted as a ring carries
/// it, whichever way it was made: each member sends 2(n−1)/n of the buffer to the next for a sum, half as much for one of
/// its halves; of an all-to-all 1/n to each other one. Where the hops of a ring are events, these are counted.
class TrafficMatrix {
public:
    enum class Part : std::uint8_t { All, Messages, Collectives };
    struct Cell {
        std::int64_t bytes = 0;
        std::int64_t count = 0;  ///< sends
    };

    explicit TrafficMatrix(const RunHeader& header);
    void add(const Event& event);

    int ranks() const { return mesh_.ranks(); }
    /// In which anything was counted; a prediction is one.
    int steps() const { return static_cast<int>(steps_.size()); }
    /// Over all steps.
    Cell cell(int from, int to, Part part) const;
    std::int64_t largest(Part part) const;  ///< bytes
    std::int64_t total(Part part) const;    ///< bytes

private:
    enum class Sort : std::uint8_t { Message, Collective, Bucket, Hop };
    using Link = std::pair<int, int>;
    /// Whether a stage's bucket is reduced by the ranks with the same experts alone.
    bool ofExperts(const Event& event) const;
    void ring(const std::vector<int>& group, int rank, double bytes, Sort sort);
    std::map<Link, Cell> of(Part part) const;

    Mesh mesh_;
    std::vector<int> rankOfStage_;
    std::vector<std::vector<FlatUnit>> buckets_;  ///< by stage; empty where no experts are spread
    std::map<Sort, std::map<Link, Cell>> cells_;
    std::set<int> steps_;
};

}  // namespace shardlab
