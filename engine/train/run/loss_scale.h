// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/layout/layout.h"

#include <map>
#include <string>

namespace shardlab {

/// What the loss is multiplied by before backward, so that small gradients are numbers of fp16 too (1710.03740).
/// Static: always the same. Dynamic: a step whose gradients are not finite is left out and the scale halved; after so
/// many steps in a row that were good it is doubled, up to 2^24. A scale below 1 shows what 16 bits lose: gradients are
/// then as small as those of a mean over so many times more tokens.
class LossScale {
public:
    explicit LossScale(const PrecisionSpec& precision);

    bool active() const { return active_; }
    /// Gradients may vanish, or are scaled so that they do not: their sizes are worth a look.
    bool watched() const { return watched_; }
    bool dynamic() const { return dynamic_; }
    float value() const { return static_cast<float>(value_); }
    /// Steps left out so far: they count for nothing in the optimizer.
    int skipped() const { return skipped_; }
    /// After each step, alike on all ranks.
    void stepped(bool overflow);

    /// For checkpoints: what continues a run, by name.
    std::map<std::string, double> numbers() const;
    void restore(const std::map<std::string, double>& numbers);

private:
    bool active_;
    bool watched_;
    bool dynamic_;
    double value_ = 1;
    int window_;
    int good_ = 0;  ///< steps in a row
    int skipped_ = 0;
};

}  // namespace shardlab
