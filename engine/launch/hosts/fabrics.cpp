// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/hosts/fabrics.h"

#include "engine/base/file.h"

namespace shardlab::launch {
namespace {

using Folder = std::filesystem::directory_iterator;

/// Whether a port of the device says that it is up: "4: ACTIVE".
bool isUp(const std::filesystem::path& device) {
    std::error_code none;
    for (const auto& port : Folder(device / "ports", none))
        if (readFile(port.path() / "state").value_or("").find("ACTIVE") != std::string::npos) return true;
    return false;
}

}  // namespace

std::string Fabrics::text() const { return ucx && ofi ? "UCX or OFI" : ucx ? "UCX" : ofi ? "OFI" : ""; }

Fabrics devicesIn(const std::filesystem::path& system) {
    Fabrics found;
    std::error_code none;
    for (const auto& device : Folder(system / "class/infiniband", none)) {
        if (!isUp(device.path())) continue;
        const std::string name = device.path().filename();
        // Omni-Path and EFA stand among the devices of InfiniBand, and are none that UCX drives well.
        const bool ofi = name.starts_with("hfi1") || name.starts_with("efa") || name.starts_with("rdmap");
        (ofi ? found.ofi : found.ucx) = true;
    }
    if (Folder(system / "class/cxi", none) != Folder()) found.ofi = true;
    return found;
}

Fabrics builtWith(std::span<const std::string> ompiInfo) {
    Fabrics found;
    for (const std::string& line : ompiInfo) {
        if (line.starts_with("mca:pml:ucx:")) found.ucx = true;
        if (line.starts_with("mca:mtl:ofi:")) found.ofi = true;
    }
    return found;
}

}  // namespace shardlab::launch
