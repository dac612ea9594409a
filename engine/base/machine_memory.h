// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <sys/sysinfo.h>

namespace shardlab::base {

/// Bytes of memory that this machine has, whoever uses them. Where the system refuses to tell, as some sandboxes do,
/// 1 TiB, so that nothing is said not to fit; sysconf() would then answer what happened to lie on the stack.
inline std::int64_t machineMemory() {
    struct sysinfo told {};
    if (::sysinfo(&told) != 0) return std::int64_t{1} << 40;
    return static_cast<std::int64_t>(told.totalram) * told.mem_unit;
}

}  // namespace shardlab::base
