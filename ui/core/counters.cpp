// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/counters.h"

#include <algorithm>
#include <cmath>

namespace shardlab::ui {

void Extent::add(double value) {
    if (std::isfinite(value)) add(Extent{value, value});
}

void Extent::add(const Extent& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
}

void CounterSeries::add(const CounterSample& sample) {
    const std::size_t place = until(sample.time);
    samples_.insert(samples_.begin() + static_cast<std::ptrdiff_t>(place), sample);
    if (place + 1 < samples_.size()) return measureFrom(place);
    if (place % chunk == 0) chunks_.emplace_back();
    chunks_.back().add(sample.value);
}

std::size_t CounterSeries::until(std::int64_t time) const {
    if (!samples_.empty() && samples_.back().time <= time) return samples_.size();
    const auto after = std::ranges::upper_bound(samples_, time, {}, &CounterSample::time);
    return static_cast<std::size_t>(after - samples_.begin());
}

const CounterSample* CounterSeries::at(std::int64_t time) const {
    const std::size_t count = until(time);
    return count > 0 ? &samples_[count - 1] : nullptr;
}

Extent CounterSeries::extent(std::size_t first, std::size_t last) const {
    Extent extent;
    while (first < last) {
        if (first % chunk == 0 && first + chunk <= last) {
            extent.add(chunks_[first / chunk]);
            first += chunk;
        } else {
            extent.add(samples_[first++].value);
        }
    }
    return extent;
}

void CounterSeries::measureFrom(std::size_t sample) {
    chunks_.resize(sample / chunk);
    for (std::size_t i = chunks_.size() * chunk; i < samples_.size(); ++i) {
        if (i % chunk == 0) chunks_.emplace_back();
        chunks_.back().add(samples_[i].value);
    }
}

void Counters::add(const Event& event) {
    const ActionId name = event.kind == EventKind::NamedCounter ? event.action : 0;
    const auto [place, fresh] = places_.try_emplace({event.kind, name}, all_.size());
    if (fresh) all_.push_back({.kind = event.kind, .name = name, .bytes = false, .ranks = {}});
    Counter& counter = all_[place->second];
    counter.bytes = counter.bytes || (event.kind == EventKind::NamedCounter && event.bytes != 0);
    counter.ranks[event.rank].add({event.begin, event.value, event.step});
}

void Counters::drop(const Restarts& restarts) {
    for (Counter& counter : all_)
        for (auto& [rank, series] : counter.ranks)
            series.eraseIf([&, rank = rank](const CounterSample& sample) {
                return restarts.superseded({.begin = sample.time,
                                            .end = sample.time,
                                            .step = sample.step,
                                            .rank = static_cast<std::int16_t>(rank),
                                            .kind = counter.kind});
            });
}

void Counters::leaveOut(const GoneSteps& gone, std::size_t many) {
    for (Counter& counter : all_)
        for (auto& [rank, series] : counter.ranks) series.leaveOut(gone, many);
}

const Counter* Counters::find(EventKind kind, ActionId name) const {
    const auto place = places_.find({kind, name});
    return place == places_.end() ? nullptr : &all_[place->second];
}

}  // namespace shardlab::ui
