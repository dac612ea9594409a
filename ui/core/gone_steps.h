// SPDX-License-Identifier: GPL-3.0-or-later
// What a run that arrives for days leaves in memory of its older steps: one of so many, spread evenly over their time,
// so that what it takes does not grow with their number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardlab::ui {

/// The length, a power of two in nanoseconds, of stretches of time so few of which have one of these moments, which
/// ascend, that one of each may stay.
inline std::int64_t stretchFor(const std::vector<std::int64_t>& moments, std::size_t stay) {
    for (int power = 0;; ++power) {
        std::size_t stretches = 0;
        std::int64_t last = -1;
        for (const std::int64_t moment : moments) {
            if (moment >> power == last) continue;
            last = moment >> power;
            ++stretches;
        }
        if (stretches <= std::max<std::size_t>(stay, 2)) return std::int64_t{1} << power;
    }
}

/// Steps that RunSteps::thin() has left out.
struct GoneSteps {
    std::vector<int> steps;   ///< ascending
    std::vector<int> others;  ///< the older steps that stay; ascending
    std::int64_t before = 0;  ///< nanoseconds of the run's clock: when the first of those began that were all kept

    bool contains(int step) const { return std::ranges::binary_search(steps, step); }

    /// Leaves the same steps out of what was recorded in them, which ascends by `time`; true where something went. What
    /// was recorded in less than half of the steps, perhaps in none or all of those that are gone, loses some of its
    /// own older ones instead, once these are more than `many`.
    template <class Sample, class Time>
    bool leaveOut(std::vector<Sample>& samples, Time time, std::size_t many) const {
        const auto end = std::ranges::lower_bound(samples, before, {}, time);
        std::vector<std::int64_t> moments;  // when something was first recorded in each step
        std::size_t known = 0;              // of these, in steps that were known until now
        eachStep(samples.begin(), end, [&](auto first, auto) {
            moments.push_back((*first).*time);
            known += contains(first->step) || std::ranges::binary_search(others, first->step) ? 1 : 0;
        });
        const bool sparse = 2 * known < std::max(steps.size() + others.size(), moments.size());
        if (sparse && moments.size() <= many) return false;
        const std::int64_t stretch = sparse ? stretchFor(moments, many / 2) : 0;
        auto kept = samples.begin();
        std::int64_t last = -1;
        eachStep(samples.begin(), end, [&](auto first, auto behind) {
            if (sparse ? (*first).*time / stretch == last : contains(first->step)) return;
            if (sparse) last = (*first).*time / stretch;
            kept = std::move(first, behind, kept);
        });
        samples.erase(kept, end);
        return true;
    }

private:
    /// Calls `see` with the first sample of each step and what follows its last; outside of steps each sample is alone.
    template <class Iterator, class See>
    static void eachStep(Iterator from, Iterator end, See see) {
        while (from != end) {
            const auto behind = std::find_if(from + 1, end, [step = from->step](const auto& next) {
                return step < 0 || next.step > step;  // ranks that are behind may still be in the step
            });
            see(from, behind);
            from = behind;
        }
    }
};

}  // namespace shardlab::ui
