// SPDX-License-Identifier: Apache-2.0
// How long an all-reduce takes by each of its algorithms, from latency and bandwidth; which one a group is modelled
// with. n members on k hosts, g = n ÷ k of them on each; B bytes; α latency and β bandwidth of a link, of the slowest
// one among the members where nothing else is said.
#pragma once

#include "engine/layout/devices.h"
#include "engine/layout/mesh/mesh.h"

#include <span>
#include <string_view>

namespace shardlab::predict {

enum class Algorithm : std::uint8_t {
    Ring,          ///< reduce-scatter, then all-gather: 2(n−1)·α + 2(n−1)/n · B/β
    Tree,          ///< up a binomial tree and down again: 2⌈log₂ n⌉ · (α + B/β)
    Hierarchical,  ///< reduce-scatter on each host, g rings of B/g between the hosts, all-gather on each host:
                   ///< 2(g−1)·α + 2(g−1)/g · B/β inside, 2(k−1)·α + 2(k−1)/k · B/g/β between
};
std::string_view name(Algorithm algorithm);  ///< "ring"

/// Who takes part: what the algorithms need to know of it.
struct Group {
    int members = 1;
    int hosts = 1;
    bool even = true;  ///< equally many on each host
    bool operator==(const Group&) const = default;
};
/// `ranks` ascend and are not none.
Group groupOf(const Mesh& mesh, std::span<const int> ranks);

struct Collective {
    double seconds = 0;
    Algorithm algorithm = Algorithm::Ring;
};

/// Hierarchical only where there are several hosts with several members each, equally many.
bool works(Algorithm algorithm, const Group& group);
double allReduceSeconds(Algorithm algorithm, double bytes, const Group& group, const DevicePreset& device);
/// The quickest that works: trees for few bytes, rings for many, hierarchies between hosts. 0 s for one member.
Collective allReduce(double bytes, const Group& group, const DevicePreset& device);

}  // namespace shardlab::predict
