// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/mesh/mesh.h"

#include <algorithm>

namespace shardlab {
namespace {

constexpr std::array<std::string_view, axisCount> names{"pipeline", "data", "expert", "context", "tensor"};
constexpr std::array<std::string_view, axisCount> shortNames{"pp", "dp", "ep", "cp", "tp"};
/// Those whose coordinates together tell the rank, slowest first.
constexpr std::array placing{Axis::Pipeline, Axis::Data, Axis::Context, Axis::Tensor};

}  // namespace

std::string_view name(Axis axis) { return names[static_cast<std::size_t>(axis)]; }
std::string_view shortName(Axis axis) { return shortNames[static_cast<std::size_t>(axis)]; }

Mesh::Mesh(const Layout& layout) {
    const ParallelSpec& p = layout.parallel;
    sizes_ = {p.pipeline, p.data, p.expert, p.context, p.tensor};
    for (int& size : sizes_) size = std::max(size, 1);
    int& expert = sizes_[static_cast<std::size_t>(Axis::Expert)];
    if (size(Axis::Data) % expert != 0) expert = 1;  // the layout was not checked
    for (const Axis axis : placing) ranks_ *= size(axis);
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
    for (auto axis = placing.rbegin(); axis != placing.rend(); ++axis) {
        result[static_cast<std::size_t>(*axis)] = rank % size(*axis);
        rank /= size(*axis);
    }
    result[static_cast<std::size_t>(Axis::Expert)] = result[static_cast<std::size_t>(Axis::Data)] % size(Axis::Expert);
    return result;
}

int Mesh::rank(const Coordinates& coordinates) const {
    int result = 0;
    for (const Axis axis : placing) result = result * size(axis) + coordinates[static_cast<std::size_t>(axis)];
    return result;
}

std::vector<int> Mesh::group(int rank, Axis axis) const {
    Coordinates place = coordinates(rank);
    std::vector<int> members;
    if (axis == Axis::Expert) {
        int& data = place[static_cast<std::size_t>(Axis::Data)];
        data -= place[static_cast<std::size_t>(Axis::Expert)];
        for (int i = 0; i < size(axis); ++i, ++data) members.push_back(this->rank(place));
        return members;
    }
    for (int i = 0; i < size(axis); ++i) {
        place[static_cast<std::size_t>(axis)] = i;
        members.push_back(this->rank(place));
    }
    return members;
}

std::vector<int> replicaRanks(const Mesh& mesh, int rank) {
    std::vector<int> ranks;
    for (const int stage : mesh.group(rank, Axis::Pipeline))
        for (const int member : mesh.group(stage, Axis::Tensor)) ranks.push_back(member);
    return ranks;
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
    // Data before pipeline: that is how people name a rank.
    for (Axis axis : {Axis::Data, Axis::Pipeline, Axis::Expert, Axis::Context, Axis::Tensor}) {
        if (size(axis) == 1) continue;
        if (!text.empty()) text += ' ';
        text += std::string(shortName(axis)) + std::to_string(place[static_cast<std::size_t>(axis)]);
    }
    return text;
}

}  // namespace shardlab
