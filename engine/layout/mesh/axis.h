// SPDX-License-Identifier: Apache-2.0
// The axes over which work is divided: one table, a row an axis. Code that treats all axes alike goes over the table
// (axisTraits, axesAsWritten), and keeps what it has of each in a PerAxis.
#pragma once

#include "engine/layout/layout.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shardlab::layout {

/// The axes from the slowest to the fastest: tensor neighbours stay inside a node. Shard, expert and expert tensor are
/// parts of others. `shard` neighbours along the data axis share one copy of what ZeRO divides; the degree is 0 where
/// there is one copy alone. Each of `expert` ranks has other experts: the folds of a tensor group (folding.h), and in
/// each the same number of neighbouring replicas. `expert_tensor` neighbours along the tensor axis share each expert;
/// the degree is 0 where all members do.
enum class Axis : std::uint8_t { Pipeline, Data, Shard, Expert, Context, Tensor, ExpertTensor, Count };
inline constexpr int axisCount = static_cast<int>(Axis::Count);

struct AxisTraits {
    Axis axis;
    std::string_view name;       ///< also the key of its degree in a layout, below /parallel
    std::string_view shortName;  ///< in the label of a rank
    int ParallelSpec::*degree;
    bool placesRanks;  ///< its coordinate is a part of the rank's number, and its degree a factor of the world's size
};
inline constexpr std::array<AxisTraits, axisCount> axisTraits{{
    {Axis::Pipeline, "pipeline", "pp", &ParallelSpec::pipeline, true},
    {Axis::Data, "data", "dp", &ParallelSpec::data, true},
    {Axis::Shard, "shard", "sh", &ParallelSpec::shard, false},
    {Axis::Expert, "expert", "ep", &ParallelSpec::expert, false},
    {Axis::Context, "context", "cp", &ParallelSpec::context, true},
    {Axis::Tensor, "tensor", "tp", &ParallelSpec::tensor, true},
    {Axis::ExpertTensor, "expert_tensor", "et", &ParallelSpec::expertTensor, false},
}};
/// The order in which degrees are written for people and for other programs.
inline constexpr std::array<Axis, axisCount> axesAsWritten{Axis::Data,   Axis::Pipeline,     Axis::Tensor, Axis::Shard,
                                                           Axis::Expert, Axis::ExpertTensor, Axis::Context};

constexpr const AxisTraits& traits(Axis axis) { return axisTraits[static_cast<std::size_t>(axis)]; }
constexpr std::string_view name(Axis axis) { return traits(axis).name; }
constexpr std::string_view shortName(Axis axis) { return traits(axis).shortName; }
constexpr bool placesRanks(Axis axis) { return traits(axis).placesRanks; }
/// A degree of 0 stands for all that there is.
constexpr bool mayBeZero(Axis axis) { return axis == Axis::Shard || axis == Axis::ExpertTensor; }
/// Whether the degree divides anything otherwise than without it.
constexpr bool matters(Axis axis, int degree) { return degree > (axis == Axis::ExpertTensor ? 0 : 1); }
inline int degree(const ParallelSpec& parallel, Axis axis) { return parallel.*traits(axis).degree; }
inline int& degree(ParallelSpec& parallel, Axis axis) { return parallel.*traits(axis).degree; }

/// A value for each axis.
template <class T>
struct PerAxis : std::array<T, axisCount> {
    using std::array<T, axisCount>::operator[];
    constexpr T& operator[](Axis axis) { return (*this)[static_cast<std::size_t>(axis)]; }
    constexpr const T& operator[](Axis axis) const { return (*this)[static_cast<std::size_t>(axis)]; }
};

using Coordinates = PerAxis<int>;

/// All degrees of a layout.
inline PerAxis<int> degrees(const ParallelSpec& parallel) {
    PerAxis<int> all{};
    for (const AxisTraits& each : axisTraits) all[each.axis] = parallel.*each.degree;
    return all;
}

namespace detail {
/// Whether each row stands where its axis says, and each axis is written once.
consteval bool axisTableIsWhole() {
    std::array<bool, axisCount> written{};
    for (const Axis axis : axesAsWritten) written[static_cast<std::size_t>(axis)] = true;
    for (std::size_t i = 0; i < axisCount; ++i)
        if (axisTraits[i].axis != static_cast<Axis>(i) || axisTraits[i].name.empty() || !written[i]) return false;
    return true;
}
}  // namespace detail
static_assert(detail::axisTableIsWhole(),
              "every axis has a row, in the order of the enum, and a place among the written");

}  // namespace shardlab::layout
