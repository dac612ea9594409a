// SPDX-License-Identifier: Apache-2.0
// Rank ↔ coordinates over the axes; computed from a layout, immutable, passed as an argument.
#pragma once

#include "engine/layout/layout.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab {

/// Slowest to fastest: tensor neighbours stay inside a node. Expert is a part of data: of `expert` neighbours along the
/// data axis each has other experts, so that a rank's data coordinate tells its expert coordinate, data mod expert.
enum class Axis : std::uint8_t { Pipeline, Data, Expert, Context, Tensor };
inline constexpr int axisCount = 5;
std::string_view name(Axis axis);       ///< "pipeline"
std::string_view shortName(Axis axis);  ///< "pp", "dp", "ep", "cp", "tp"

using Coordinates = std::array<int, axisCount>;  ///< indexed by Axis

class Mesh {
public:
    explicit Mesh(const Layout& layout);

    int ranks() const { return ranks_; }
    int size(Axis axis) const { return sizes_[static_cast<std::size_t>(axis)]; }
    Coordinates coordinates(int rank) const;
    int coordinate(int rank, Axis axis) const { return coordinates(rank)[static_cast<std::size_t>(axis)]; }
    /// The expert coordinate does not count.
    int rank(const Coordinates& coordinates) const;
    /// Ranks that differ from `rank` only along `axis`, in order of that coordinate; contains `rank`.
    std::vector<int> group(int rank, Axis axis) const;
    /// All groups of an axis, each once.
    std::vector<std::vector<int>> groups(Axis axis) const;
    /// Index into cluster.hosts, and the device on that host. Ranks fill hosts in order.
    int host(int rank) const;
    int device(int rank) const;
    const std::string& hostName(int rank) const { return hostNames_[static_cast<std::size_t>(host(rank))]; }
    /// "dp0 pp1": only axes longer than 1.
    std::string label(int rank) const;

private:
    int ranks_ = 1;
    Coordinates sizes_{};
    std::vector<int> hostFirstRank_;
    std::vector<std::string> hostNames_;
};

/// Ranks of the replica that `rank` belongs to, which together hold each weight once: those that differ along the
/// pipeline and the tensor axis only, ascending.
std::vector<int> replicaRanks(const Mesh& mesh, int rank);

}  // namespace shardlab
