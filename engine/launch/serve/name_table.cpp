// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/name_table.h"

#include "engine/trace/event/event.h"

namespace shardlab::launch {

std::uint32_t NameTable::numberOf(const std::string& text) {
    constexpr std::size_t mostBytes = std::size_t{32} << 20;
    const bool full = bytes_ > mostBytes && !numbers_.contains(text);
    const std::string name = full ? "(further names)" : text.substr(0, largestLogText);
    const auto [place, fresh] = numbers_.try_emplace(name, static_cast<std::uint32_t>(numbers_.size() + 1));
    if (fresh) {
        bytes_ += name.size() + sizeof(*place);
        named_(place->second, name);
    }
    return place->second;
}

}  // namespace shardlab::launch
