// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/memory_category.h"

#include <algorithm>

namespace shardlab {

/// Bytes in use by category, and the largest they were: an arena without memory.
class Tally {
public:
    void add(MemoryCategory category, std::int64_t bytes) {
        MemoryBytes change{};
        change[static_cast<std::size_t>(category)] = bytes;
        move(change, change, std::max<std::int64_t>(bytes, 0));
    }

    /// Something that changes by `change` and in between rises by `rise`, `totalRise` in sum.
    void move(const MemoryBytes& change, const MemoryBytes& rise, std::int64_t totalRise) {
        peakTotal_ = std::max(peakTotal_, total_ + totalRise);
        for (std::size_t i = 0; i < used_.size(); ++i) {
            peak_[i] = std::max(peak_[i], used_[i] + rise[i]);
            used_[i] += change[i];
            total_ += change[i];
        }
    }

    const MemoryBytes& used() const { return used_; }
    const MemoryBytes& peak() const { return peak_; }
    std::int64_t peakTotal() const { return peakTotal_; }

private:
    MemoryBytes used_{};
    MemoryBytes peak_{};
    std::int64_t total_ = 0;
    std::int64_t peakTotal_ = 0;
};

}  // namespace shardlab
