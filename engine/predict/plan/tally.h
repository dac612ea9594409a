// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/memory_category.h"

#include <algorithm>

namespace shardlab::predict {

/// What something does to a rank's memory, in bytes.
struct MemoryDelta {
    MemoryBytes change{};        ///< from its begin to its end
    MemoryBytes rise{};          ///< of each category, largest in between above its begin
    MemoryBytes fullest{};       ///< above its begin, at the moment of the largest sum
    std::int64_t totalRise = 0;  ///< the sum then
};

inline MemoryBytes together(MemoryBytes bytes, const MemoryBytes& more) {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] += more[i];
    return bytes;
}

/// Bytes in use by category, and the largest they were: an arena without memory.
class Tally {
public:
    void add(MemoryCategory category, std::int64_t bytes) {
        const auto index = static_cast<std::size_t>(category);
        used_[index] += bytes;
        total_ += bytes;
        peak_[index] = std::max(peak_[index], used_[index]);
        if (total_ <= peakTotal_) return;
        peakTotal_ = total_;
        fullest_ = used_;
    }

    void move(const MemoryDelta& excursion) {
        if (total_ + excursion.totalRise > peakTotal_) {
            peakTotal_ = total_ + excursion.totalRise;
            for (std::size_t i = 0; i < used_.size(); ++i) fullest_[i] = used_[i] + excursion.fullest[i];
        }
        for (std::size_t i = 0; i < used_.size(); ++i) {
            peak_[i] = std::max(peak_[i], used_[i] + excursion.rise[i]);
            used_[i] += excursion.change[i];
            total_ += excursion.change[i];
        }
    }

    /// All that was done since the begin, as one.
    MemoryDelta whole() const { return {used_, peak_, fullest_, peakTotal_}; }

    const MemoryBytes& used() const { return used_; }
    const MemoryBytes& peak() const { return peak_; }
    std::int64_t peakTotal() const { return peakTotal_; }

private:
    MemoryBytes used_{};
    MemoryBytes peak_{};
    MemoryBytes fullest_{};  ///< when the sum was largest
    std::int64_t total_ = 0;
    std::int64_t peakTotal_ = 0;
};

/// Temporary bytes that are there for a moment.
inline void passing(Tally& tally, std::int64_t bytes) {
    if (bytes == 0) return;
    tally.add(MemoryCategory::Temporary, bytes);
    tally.add(MemoryCategory::Temporary, -bytes);
}

}  // namespace shardlab::predict
