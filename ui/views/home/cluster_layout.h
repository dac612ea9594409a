// SPDX-License-Identifier: GPL-3.0-or-later
// A known model on another cluster than the one that its preset was laid out for.
#pragma once

#include "engine/layout/devices.h"
#include "engine/layout/layout.h"

#include <vector>

namespace shardlab::ui {

struct ClusterQuestion {
    int nodes = 2;
    int devices = 8;     ///< of a node
    std::string device;  ///< name of a device preset
};

/// The devices that a cluster can be asked for: those whose software stacks predictions know.
std::vector<DevicePreset> clusterDevices();
/// Whether the preset is for a cluster with a software stack of its own, rather than for this machine.
bool isForACluster(const Layout& layout);
/// The layout on that cluster, with a software stack that the device has, legal where there is a legal one near it; a
/// search then finds the best. It may take as long as a search of the degrees: to be called on another thread.
Layout layoutOn(const Layout& layout, const ClusterQuestion& cluster);

}  // namespace shardlab::ui
