// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/layout/layout.h"

#include <map>
#include <string>

namespace shardlab::train {

/// The factor by which the loss is multiplied before the backward, so that small gradients do not vanish in fp16
/// (1710.03740). A static scale never changes. A dynamic scale is halved, and the step skipped, where a gradient is not
/// finite; after a number of good steps in a row it is doubled, up to 2^24. A scale below 1 shows what 16 bits lose:
/// gradients are then as small as those of a mean over so many times more tokens.
class LossScale {
public:
    explicit LossScale(const PrecisionSpec& precision);

    bool active() const { return active_; }
    /// Whether the sizes of gradients are worth recording: they may vanish, or are scaled so that they do not.
    bool watched() const { return watched_; }
    bool dynamic() const { return dynamic_; }
    float value() const { return static_cast<float>(value_); }
    /// Steps skipped so far; the optimizer does not count them.
    int skipped() const { return skipped_; }
    /// To be called after each step, with the same value on all ranks.
    void stepped(bool overflow);

    /// The state that a checkpoint keeps, by name.
    std::map<std::string, double> numbers() const;
    void restore(const std::map<std::string, double>& numbers);

private:
    bool active_;
    bool watched_;
    bool dynamic_;
    double value_ = 1;
    int window_;
    int good_ = 0;  ///< good steps in a row
    int skipped_ = 0;
};

}  // namespace shardlab::train
