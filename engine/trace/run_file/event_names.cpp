// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_file/run_file.h"

namespace shardlab::trace {
namespace {

constexpr std::uint32_t largestName = 1u << 24;  ///< a damaged number must not ask for all memory

}  // namespace

void EventNames::add(std::uint32_t number, std::string name) {
    if (number == 0 || number > largestName) return;
    if (names_.size() < number) names_.resize(number);
    names_[number - 1] = std::move(name);
}

std::string_view EventNames::of(ActionId id) const {
    const std::uint32_t number = nameNumber(id);
    return number == 0 || number > names_.size() ? std::string_view() : names_[number - 1];
}

std::string EventNames::text(ActionId id) const {
    if (id == 0) return {};
    const std::string_view name = of(id);
    return name.empty() ? toText(actionFromId(id)) : std::string(name);
}

}  // namespace shardlab::trace
