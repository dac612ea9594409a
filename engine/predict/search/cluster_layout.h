// SPDX-License-Identifier: Apache-2.0
// A known model on another cluster than the one that its layout is for.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/devices.h"
#include "engine/layout/layout.h"

#include <string_view>
#include <vector>

namespace shardlab::predict {

struct ClusterQuestion {
    int nodes = 2;
    int devices = 8;     ///< of a node
    std::string device;  ///< name of a device preset
};

/// "64x8:h100-sxm": nodes, devices of a node, and the device. Errors: a number is none or below 1; there are more than
/// mostRanks devices; no known device has that name.
Result<ClusterQuestion> parseCluster(std::string_view text);

/// The devices that a cluster can be asked for: those whose software stacks predictions know.
std::vector<DevicePreset> clusterDevices();
/// Whether the preset is for a cluster with a software stack of its own, rather than for this machine.
bool isForACluster(const Layout& layout);

/// The layout on the cluster's hosts and devices, with a software stack whose times are known there: the layout's own
/// where they are, else the one that repairStack() finds. What was for Shardlab's own engine becomes what published
/// runs are: Megatron-Core before all others, and bf16 in the place of fp32. Degrees stay as they are.
Layout onCluster(Layout layout, const ClusterQuestion& cluster);
/// As many replicas as the hosts have devices for, experts over as many ranks as divide them, and the global batch that
/// is nearest below and that the replicas can share. Where there was one replica, and so no word on what replicas
/// share, they share what those of the stack's runs do. Other degrees stay as they are; where one, or the batch, is
/// below 1, all do, for check() to name it.
Layout filledWithReplicas(Layout layout);
/// Both, legal where there is a legal layout near it; a search then finds the best. It may take as long as a search of
/// the degrees: to be called on another thread.
Layout layoutOn(const Layout& layout, const ClusterQuestion& cluster);

}  // namespace shardlab::predict
