// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/kernel_account.h"

#include <algorithm>

namespace shardlab::predict {

double leastSeconds(const KernelProfile& kernel, const KernelAccount& account) {
    const double computing = account.peakFlops > 0 ? kernel.flops / account.peakFlops : 0;
    const double moving = account.memoryBandwidth > 0 ? kernel.bytes / account.memoryBandwidth : 0;
    return std::max(computing, moving);
}

double flopsPerSecond(const KernelProfile& kernel) { return kernel.seconds > 0 ? kernel.flops / kernel.seconds : 0; }
double bytesPerSecond(const KernelProfile& kernel) { return kernel.seconds > 0 ? kernel.bytes / kernel.seconds : 0; }

double betweenKernels(const KernelAccount& account) {
    double inside = 0;
    for (const KernelProfile& kernel : account.kernels) inside += kernel.seconds;
    return std::max(0.0, account.seconds - inside);
}

double explainedShare(const KernelAccount& account) {
    if (account.seconds <= 0) return 0;
    double least = 0;
    for (const KernelProfile& kernel : account.kernels)
        least += std::min(kernel.seconds, leastSeconds(kernel, account));
    return least / account.seconds;
}

}  // namespace shardlab::predict
