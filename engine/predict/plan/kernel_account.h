// SPDX-License-Identifier: Apache-2.0
// Where a rank's time goes, kernel by kernel, against what the machine would allow (roofline: Williams, Waterman and
// Patterson 2009).
#pragma once

#include "engine/base/wings.h"

#include <string>
#include <vector>

namespace shardlab::predict {

/// One kind of kernel in one training step of a rank, the mean over ranks.
struct KernelProfile {
    std::string name;  ///< "A·B"
    double calls = 0;
    double seconds = 0;
    double flops = 0;  ///< of matrix products
    double bytes = 0;  ///< of operands, each read or written once
    bool operator==(const KernelProfile&) const = default;
};

struct KernelAccount {
    std::vector<KernelProfile> kernels;  ///< the longest first; only kinds that were called
    double seconds = 0;          ///< of a step's forwards, backwards and update: the kernels and what lies between them
    double peakFlops = 0;        ///< per second, of a rank's cores in the layout's format; 0: not known
    double memoryBandwidth = 0;  ///< bytes per second, likewise; 0: not known
    bool operator==(const KernelAccount&) const = default;
};

/// max(flops ÷ peak, bytes ÷ bandwidth). Operands that stay in a cache can be quicker.
double leastSeconds(const KernelProfile& kernel, const KernelAccount& account);
/// The rate of a kernel over its own time; 0 where the clock saw none of that time.
double flopsPerSecond(const KernelProfile& kernel);
double bytesPerSecond(const KernelProfile& kernel);
/// Seconds between the kernels: lists of actions, buffers, the measuring itself.
double betweenKernels(const KernelAccount& account);
/// Σ min(least, taken) ÷ seconds: what share of the time the machine's limits explain.
double explainedShare(const KernelAccount& account);

}  // namespace shardlab::predict
