// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/parameter_set.h"

#include "engine/base/random.h"
#include "engine/train/model/host_copy.h"

#include <algorithm>
#include <cmath>

namespace shardlab::train {

namespace {

std::size_t elements(const std::vector<int>& shape) {
    std::size_t count = 1;
    for (int extent : shape) count *= static_cast<std::size_t>(extent);
    return count;
}

/// Draws the rank's part of the whole tensor's stream: an element has the same value on whatever rank.
void draw(const Parameter& parameter, const Initial& initial, std::int64_t seed, std::span<float> values) {
    const RandomStream stream(seed, parameter.name);
    const auto normal = [&](std::uint64_t index) {
        constexpr std::uint64_t again = std::uint64_t{1} << 48;  // beyond any tensor's elements
        double value = stream.normalAt(index);
        while (initial.truncated && std::abs(value) > 2) value = stream.normalAt(index += again);
        return value;
    };
    for (const SliceRun& run : sliceRuns(parameter.slice, 0, static_cast<std::int64_t>(values.size())))
        for (std::int64_t i = 0; i < run.count; ++i)
            values[static_cast<std::size_t>(run.part + i)] =
                static_cast<float>(initial.deviation * normal(static_cast<std::uint64_t>(run.whole + i)));
}

}  // namespace

const std::vector<int>& Weight::shape() const { return set_->parameters_[index_].shape; }
ConstArray Weight::value() const {
    const Array own = set_->parameters_[index_].value.data();
    if (set_->copy_.empty()) return own;
    const std::ptrdiff_t bytes = static_cast<std::byte*>(own.data) - static_cast<std::byte*>(set_->values_.data().data);
    return set_->copy_.data() + bytes / static_cast<std::ptrdiff_t>(sizeOf(own.type));
}
Array Weight::gradient() const { return set_->parameters_[index_].gradient.data(); }

Weight ParameterSet::declare(const std::string& name, std::vector<int> whole, Initial initial, bool decays, Cut cut) {
    const auto known = std::ranges::find(parameters_, name, &Parameter::name);
    if (known != parameters_.end()) {
        known->highestLayer = layer_;
        return {*this, static_cast<std::size_t>(known - parameters_.begin())};
    }
    Parameter parameter;
    parameter.name = name;
    parameter.shape = whole;
    const auto [parts, part] = cutting_;
    if (cut.axis >= 0 && parts > 1) {
        parameter.slice = {std::move(whole), cut.axis, parts, part, cut.groups, cut.together, cut.tail, cut.unit};
        parameter.shape[static_cast<std::size_t>(cut.axis)] = sliceExtent(parameter.slice);
    } else {
        parameter.slice.whole = std::move(whole);
        parameter.owner = part == 0;
    }
    parameter.decays = decays;
    parameter.expert = inExperts_;
    parameter.lowestLayer = parameter.highestLayer = layer_;
    parameters_.push_back(std::move(parameter));
    initials_.push_back(initial);
    return {*this, parameters_.size() - 1};
}

void ParameterSet::tie(std::string_view name, bool owner) {
    const auto found = std::ranges::find(parameters_, name, &Parameter::name);
    if (found == parameters_.end()) return;
    found->tied = true;
    found->owner = owner;
}

void ParameterSet::initialise(std::size_t index, std::int64_t seed, std::span<float> values) const {
    const Initial& initial = initials_[index];
    if (initial.deviation == 0) std::ranges::fill(values, initial.constant);
    else draw(parameters_[index], initial, seed, values);
}

void ParameterSet::allocate(Arena& arena, const Types& types, std::int64_t seed, const StageStorage& storage) {
    std::size_t total = 0;
    for (const Parameter& parameter : parameters_) total += elements(parameter.shape);
    if (storage.values) values_ = arena.allocate(MemoryCategory::Parameters, total, types.weights);
    if (storage.gradients) gradients_ = arena.allocateZeroed(MemoryCategory::Gradients, total, types.gradients);
    std::vector<float> start;
    std::size_t begin[2] = {0, 0};  // of the next dense weight, and of the next expert's
    for (const Parameter& parameter : parameters_)
        if (!parameter.expert) begin[1] += elements(parameter.shape);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        Parameter& parameter = parameters_[i];
        const std::size_t count = elements(parameter.shape);
        std::size_t& offset = begin[parameter.expert ? 1 : 0];
        if (storage.gradients) parameter.gradient = gradients_.span().subspan(offset, count);
        if (storage.values) {
            parameter.value = values_.span().subspan(offset, count);
            start.resize(count);
            initialise(i, seed, start);
            upload(arena.device(), start, parameter.value);
        }
        offset += count;
    }
}

}  // namespace shardlab::train
