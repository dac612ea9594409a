// SPDX-License-Identifier: Apache-2.0
// Networks of clusters besides TCP that Open MPI can use by itself: through UCX (InfiniBand, RoCE) or through
// libfabric, which is OFI (Omni-Path, EFA, Slingshot).
#pragma once

#include "engine/base/wings.h"

#include <filesystem>
#include <span>
#include <string>

namespace shardlab::launch {

struct Fabrics {
    bool ucx = false;
    bool ofi = false;
    bool any() const { return ucx || ofi; }
    /// "UCX", "OFI", "UCX or OFI"; empty: there is none.
    std::string text() const;
    bool operator==(const Fabrics&) const = default;
};

/// What two hosts both have.
inline Fabrics common(const Fabrics& one, const Fabrics& other) { return {one.ucx && other.ucx, one.ofi && other.ofi}; }

/// The devices of this host whose port is up, by what the kernel tells in `system`, and the library for each.
Fabrics devicesIn(const std::filesystem::path& system);
/// What Open MPI was built with, by the lines of `ompi_info --parsable`.
Fabrics builtWith(std::span<const std::string> ompiInfo);

}  // namespace shardlab::launch
