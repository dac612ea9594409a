// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli), as in iSCSI, ext4 and RFC 3720: crc32c("123456789") is 0xE3069283.
#pragma once

#include "engine/base/wings.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shardlab::base {

/// `before`: the checksum of the bytes in front of these, so that a text may be summed in pieces.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);

inline std::uint32_t crc32c(std::string_view text, std::uint32_t before = 0) {
    return crc32c(std::as_bytes(std::span(text.data(), text.size())), before);
}

}  // namespace shardlab::base
