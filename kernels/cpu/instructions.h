// SPDX-License-Identifier: Apache-2.0
// What oneDNN may use of this processor.
#pragma once

#include <dnnl.hpp>

namespace shardlab::kernels::cpu {

/// Whether oneDNN multiplies with all instructions of the set.
inline bool has(dnnl::cpu_isa wanted) {
    const int bits = static_cast<int>(wanted);
    return (static_cast<int>(dnnl::get_effective_cpu_isa()) & bits) == bits;
}

}  // namespace shardlab::kernels::cpu
