// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/mesh/mesh.h"

#include "engine/layout/mesh/copies.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <ranges>

namespace shardlab::layout {
namespace {

/// The order in which people name a rank's coordinates: data before pipeline.
constexpr std::array labelled{Axis::Data,    Axis::Shard,  Axis::Pipeline,    Axis::Expert,
                              Axis::Context, Axis::Tensor, Axis::ExpertTensor};
static_assert(labelled.size() == axisCount);

}  // namespace

std::string rankFactorsText(const ParallelSpec& parallel) {
    std::string text;
    for (const Axis axis : axesAsWritten) {
        const bool always = axis == Axis::Data || axis == Axis::Pipeline;
        const int factor = degree(parallel, axis);
        if (placesRanks(axis) && (always || factor > 1))
            text += fmt::format("{}{} {}", text.empty() ? "" : " × ", name(axis), factor);
    }
    return text;
}

Mesh::Mesh(const Layout& layout) {
    sizes_ = degrees(layout.parallel);
    for (int& size : sizes_) size = std::max(size, 1);
    int& expert = sizes_[Axis::Expert];
    folds_ = expertFolds(layout.parallel);
    if (size(Axis::Data) * size(Axis::Context) % (expert / folds_) != 0) expert = folds_ = 1;  // it was not checked
    sizes_[Axis::ExpertTensor] = folds_ > 1 ? size(Axis::Tensor) / folds_ : 1;
    copies_ = copyCount(layout.parallel);
    if (copies_ == 1) sizes_[Axis::Shard] = 1;
    for (const AxisTraits& each : axisTraits)
        if (each.placesRanks) ranks_ *= size(each.axis);
    int first = 0;
    for (const HostSpec& host : layout.cluster.hosts) {
        hostFirstRank_.push_back(first);
        hostNames_.push_back(host.name);
        first += host.devices;
    }
    if (hostNames_.empty()) {
        hostFirstRank_.push_back(0);
        hostNames_.push_back("localhost");
    }
}

Coordinates Mesh::coordinates(int rank) const {
    Coordinates result{};
    for (const AxisTraits& each : axisTraits | std::views::reverse) {
        if (!each.placesRanks) continue;
        result[each.axis] = rank % size(each.axis);
        rank /= size(each.axis);
    }
    result[Axis::Shard] = result[Axis::Data] % size(Axis::Shard);
    const int spread = size(Axis::Expert) / folds_,
              replica = result[Axis::Data] * size(Axis::Context) + result[Axis::Context];
    result[Axis::Expert] = result[Axis::Tensor] * folds_ / size(Axis::Tensor) * spread + replica % spread;
    result[Axis::ExpertTensor] = result[Axis::Tensor] % size(Axis::ExpertTensor);
    return result;
}

int Mesh::rank(const Coordinates& coordinates) const {
    int result = 0;
    for (const AxisTraits& each : axisTraits)
        if (each.placesRanks) result = result * size(each.axis) + coordinates[each.axis];
    return result;
}

std::vector<int> Mesh::group(int rank, Axis axis) const {
    Coordinates place = coordinates(rank);
    std::vector<int> members;
    if (axis == Axis::Expert) {
        const int inFold = size(Axis::Tensor) / folds_, contexts = size(Axis::Context), spread = size(axis) / folds_;
        const int first = (place[Axis::Data] * contexts + place[Axis::Context]) / spread * spread;
        const int member = place[Axis::Tensor] % inFold;
        for (int i = 0; i < size(axis); ++i) {
            place[Axis::Tensor] = i / spread * inFold + member;
            place[Axis::Data] = (first + i % spread) / contexts;
            place[Axis::Context] = (first + i % spread) % contexts;
            members.push_back(this->rank(place));
        }
        return members;
    }
    // Members along an axis that is part of another are neighbours on that one.
    const int own = place[axis];
    int& placed = place[placesRanks(axis) ? axis : axis == Axis::Shard ? Axis::Data : Axis::Tensor];
    placed -= own;
    for (int i = 0; i < size(axis); ++i, ++placed) members.push_back(this->rank(place));
    return members;
}

std::vector<std::vector<int>> Mesh::groups(Axis axis) const {
    std::vector<std::vector<int>> all;
    for (int rank = 0; rank < ranks_; ++rank)
        if (coordinate(rank, axis) == 0) all.push_back(group(rank, axis));
    return all;
}

int Mesh::host(int rank) const {
    // Most clusters are made of hosts that are alike.
    const int each = hostFirstRank_.size() > 1 ? hostFirstRank_[1] : 0;
    if (each > 0) {
        const auto guess = static_cast<std::size_t>(rank / each);
        if (guess + 1 < hostFirstRank_.size() && hostFirstRank_[guess] <= rank && rank < hostFirstRank_[guess + 1])
            return static_cast<int>(guess);
    }
    // The last host whose first rank is not beyond `rank`.
    const auto next = std::ranges::upper_bound(hostFirstRank_, rank);
    return std::max(0, static_cast<int>(next - hostFirstRank_.begin()) - 1);
}

int Mesh::device(int rank) const { return rank - hostFirstRank_[static_cast<std::size_t>(host(rank))]; }

std::string Mesh::label(int rank) const {
    const Coordinates place = coordinates(rank);
    std::string text;
    for (const Axis axis : labelled) {
        if (size(axis) == 1) continue;
        if (!text.empty()) text += ' ';
        text += std::string(shortName(axis)) + std::to_string(place[axis]);
    }
    return text;
}

}  // namespace shardlab::layout
