// SPDX-License-Identifier: Apache-2.0
// The mesh: where each rank stands along the axes. A mesh is computed from a layout and never changes.
#pragma once

#include "engine/layout/layout.h"
#include "engine/layout/mesh/axis.h"

#include <string>
#include <vector>

namespace shardlab::layout {

class Mesh {
public:
    explicit Mesh(const Layout& layout);

    int ranks() const { return ranks_; }
    /// At least 1; that of the shard axis is 1 where there are not several copies, and that of expert tensor where all
    /// members of a tensor group share each expert.
    int size(Axis axis) const { return sizes_[axis]; }
    /// Copies of what ZeRO divides, of each of which data ÷ copies neighbouring data ranks hold a part.
    int copies() const { return copies_; }
    /// Parts of a tensor group that hold different experts (folding.h).
    int folds() const { return folds_; }
    Coordinates coordinates(int rank) const;
    int coordinate(int rank, Axis axis) const { return coordinates(rank)[axis]; }
    /// The rank at these coordinates; those of axes that are parts of others are not read.
    int rank(const Coordinates& coordinates) const;
    /// The ranks that differ from `rank` only along `axis`, `rank` included, in order of that coordinate.
    std::vector<int> group(int rank, Axis axis) const;
    /// All groups of an axis, each once.
    std::vector<std::vector<int>> groups(Axis axis) const;
    /// Index into cluster.hosts; ranks fill hosts in order.
    int host(int rank) const;
    /// The number of the rank's device on its host.
    int device(int rank) const;
    const std::string& hostName(int rank) const { return hostNames_[static_cast<std::size_t>(host(rank))]; }
    /// "dp0 pp1": the coordinates along axes longer than 1.
    std::string label(int rank) const;

private:
    int ranks_ = 1;
    int copies_ = 1;
    int folds_ = 1;
    PerAxis<int> sizes_{};
    std::vector<int> hostFirstRank_;
    std::vector<std::string> hostNames_;
};

/// "data 2 × pipeline 2 × tensor 4": the degrees whose product is the number of ranks; data and pipeline always, others
/// where they are above 1.
std::string rankFactorsText(const ParallelSpec& parallel);

}  // namespace shardlab::layout
