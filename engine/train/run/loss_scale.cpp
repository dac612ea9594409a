// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/loss_scale.h"

#include <algorithm>

namespace shardlab::train {

namespace {

constexpr double largestScale = 16777216;

}  // namespace

LossScale::LossScale(const PrecisionSpec& precision)
    : active_(precision.lossScale != LossScaling::None), watched_(active_ || precision.compute == NumberFormat::Fp16),
      dynamic_(precision.lossScale == LossScaling::Dynamic), value_(active_ ? precision.scale : 1),
      window_(precision.scaleWindow) {}

void LossScale::stepped(bool overflow) {
    if (overflow) {
        ++skipped_;
        good_ = 0;
        if (dynamic_) value_ = std::max(std::min(1.0, value_), value_ / 2);
        return;
    }
    if (!dynamic_ || ++good_ < window_) return;
    good_ = 0;
    value_ = std::min(largestScale, value_ * 2);
}

std::map<std::string, double> LossScale::numbers() const {
    if (!active_) return {};
    return {{"loss scale", value_}, {"steps since overflow", good_}, {"skipped steps", skipped_}};
}

void LossScale::restore(const std::map<std::string, double>& numbers) {
    const auto number = [&](const char* name, double without) {
        const auto found = numbers.find(name);
        return found == numbers.end() ? without : found->second;
    };
    // A manifest that another program wrote can hold any number.
    const auto count = [&](const char* name) { return static_cast<int>(std::clamp(number(name, 0), 0.0, 2e9)); };
    if (dynamic_) value_ = number("loss scale", value_);
    good_ = count("steps since overflow");
    skipped_ = count("skipped steps");
}

}  // namespace shardlab::train
