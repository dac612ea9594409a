// SPDX-License-Identifier: Apache-2.0
#include "engine/base/crc32c.h"

#include <algorithm>
#include <isa-l/crc.h>

namespace shardlab::base {

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
    constexpr std::size_t longestCall = std::size_t{1} << 30;  // the library counts in int
    std::uint32_t state = ~before;
    while (!bytes.empty()) {
        const std::size_t length = std::min(bytes.size(), longestCall);
        // The library reads only, although its parameter is not const.
        auto* data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));
        state = crc32_iscsi(data, static_cast<int>(length), state);
        bytes = bytes.subspan(length);
    }
    return ~state;
}

}  // namespace shardlab::base
