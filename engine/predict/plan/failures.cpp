// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/failures.h"

#include <cmath>

namespace shardlab::predict {

double youngInterval(const Failures& failures) {
    return std::sqrt(2 * failures.checkpointSeconds * failures.meanSeconds);
}

double dalyInterval(const Failures& failures) {
    const double saving = failures.checkpointSeconds, mean = failures.meanSeconds;
    if (saving >= 2 * mean) return mean;
    const double part = saving / (2 * mean);
    return youngInterval(failures) * (1 + std::sqrt(part) / 3 + part / 9) - saving;
}

double bestInterval(const Failures& failures) {
    // (1 − x)·exp(x + d) − 1 falls from exp(d) − 1 at x = 0 to −1 at x = 1. Its logarithm keeps the digits where d is
    // small, and no exponential overflows.
    const double saving = failures.checkpointSeconds / failures.meanSeconds;
    double low = 0, high = 1;
    for (double middle = 0.5; middle > low && middle < high; middle = low + (high - low) / 2)
        (std::log1p(-middle) + middle + saving > 0 ? low : high) = middle;
    return low * failures.meanSeconds;
}

TimeShares timeShares(const Failures& failures, double interval) {
    const double saving = failures.checkpointSeconds;
    if (!failures.any()) return {interval / (interval + saving), saving / (interval + saving), 0, 0};
    const double mean = failures.meanSeconds;
    const double whole = mean * std::exp(failures.restartSeconds / mean) * std::expm1((interval + saving) / mean);
    TimeShares shares{interval / whole, saving / whole, 0, -std::expm1(-failures.restartSeconds / mean)};
    shares.again = 1 - shares.work - shares.saving - shares.restart;
    return shares;
}

}  // namespace shardlab::predict
