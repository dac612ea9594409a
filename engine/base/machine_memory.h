// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unistd.h>

namespace shardlab::base {

/// Bytes of memory that this machine has, whoever uses them.
inline std::int64_t machineMemory() { return std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE); }

}  // namespace shardlab::base
