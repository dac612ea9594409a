// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/formats.h"
#include "engine/trace/analysis/run_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardlab::trace {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// |b − a| ÷ |a|; without limit where only one of both is there.
double relativeDifference(const Compared& loss) {
    if (!loss.a || !loss.b || (*loss.a == 0 && *loss.b != 0)) return unlimited;
    return *loss.a == *loss.b ? 0 : std::abs(*loss.relative());
}

}  // namespace

double lossTolerance(const Layout& a, const Layout& b) {
    double tolerance = 1e-5;
    for (const Layout* layout : {&a, &b}) switch (numberFormats(layout->precision).activations) {
        case NumberFormat::Fp32: break;
        case NumberFormat::Fp16: tolerance = std::max(tolerance, std::ldexp(1.0, -10)); break;
        case NumberFormat::Bf16: tolerance = std::max(tolerance, std::ldexp(1.0, -7)); break;
        }
    return tolerance;
}

std::optional<RunComparison::Losses> compareLosses(std::span<const RunComparison::Step> steps, double tolerance) {
    RunComparison::Losses losses{.tolerance = tolerance};
    for (const RunComparison::Step& step : steps) {
        if (!step.loss.a && !step.loss.b) continue;
        const double apart = relativeDifference(step.loss);
        if (losses.steps++ == 0 || apart > losses.largest) losses.largest = apart, losses.largestStep = step.step;
        if (!losses.firstApart && apart > tolerance) losses.firstApart = step.step;
    }
    return losses.steps > 0 ? std::optional(losses) : std::nullopt;
}

}  // namespace shardlab::trace
