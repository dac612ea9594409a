// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fields/sections.h"

#include "engine/base/most_ranks.h"

namespace shardlab::layout {

std::span<const Field> clusterFields() {
    static constexpr Field table[] = {
        {
            .pointer = "/cluster/hosts",
            .label = "Hosts",
            .help = "The machines, and how many devices each of them gives.",
            .access = member<&Layout::cluster, &ClusterSpec::hosts>(),
            .limits = {1, mostRanks, degreeReason},
        },
        {
            .pointer = "/cluster/device",
            .label = "Device",
            .help = "What the ranks compute on: cpu stands for processor cores, cuda for GPUs.",
            .access = member<&Layout::cluster, &ClusterSpec::device>(),
        },
        {
            .pointer = "/cluster/agent",
            .label = "Agent",
            .help = "The program that runs a command on another host, with its arguments. {host} stands for the host's "
                    "name, which otherwise comes last. Any other program than ssh is started only where you have "
                    "allowed it.",
            .access = member<&Layout::cluster, &ClusterSpec::agent>(),
            .empty = "ssh",
        },
        {
            .pointer = "/cluster/network",
            .label = "Network",
            .help = "The networks (10.1.0.0/16) or interfaces (ib0) that join the hosts, separated by commas.",
            .access = member<&Layout::cluster, &ClusterSpec::network>(),
            .empty = "any that is up",
        },
        {
            .pointer = "/cluster/pace",
            .label = "Paced",
            .help = "Ranks wait until a modelled device would have finished, so that a few cores show what a larger "
                    "cluster does.",
            .access = member<&Layout::cluster, &ClusterSpec::pace>(),
        },
        {
            .pointer = "/cluster/pace/device",
            .label = "Modelled device",
            .help = "The device whose time is modelled.",
            .access = member<&Layout::cluster, &ClusterSpec::pace, &PaceSpec::device>(),
        },
        {
            .pointer = "/cluster/pace/stack",
            .label = "Software stack",
            .help = "The training program whose times are modelled on that device: Shardlab's own, or one that many "
                    "train with. It changes predicted and paced times, not what is computed.",
            .access = member<&Layout::cluster, &ClusterSpec::pace, &PaceSpec::stack>(),
        },
        {
            .pointer = "/cluster/pace/node_link",
            .label = "Link within a node",
            .help = "Bandwidth in one direction of the link between devices of one node, NVLink say.",
            .unit = "GB/s",
            .access = member<&Layout::cluster, &ClusterSpec::pace, &PaceSpec::nodeLink>(),
            .limits = {0, 1e5, "a link's bandwidth is a positive number"},
            .zero = "the device's own",
        },
        {
            .pointer = "/cluster/pace/network",
            .label = "Inter-node link",
            .help = "Bandwidth of the network between nodes for each device, InfiniBand say: that of a node's network "
                    "ports together, divided by its devices.",
            .unit = "Gbit/s",
            .access = member<&Layout::cluster, &ClusterSpec::pace, &PaceSpec::network>(),
            .limits = {0, 1e6, "a network's bandwidth is a positive number"},
            .zero = "the device's own",
        },
        {
            .pointer = "/cluster/pace/step_seconds",
            .label = "Step lasts",
            .help = "Seconds that one step is slowed down to, so that it can be watched. The times that are shown are "
                    "the device's own.",
            .unit = "s",
            .access = member<&Layout::cluster, &ClusterSpec::pace, &PaceSpec::stepSeconds>(),
            .limits = {0.001, 3600, "a step must be long enough to wait for and short enough to watch"},
        },
    };
    return table;
}

}  // namespace shardlab::layout
