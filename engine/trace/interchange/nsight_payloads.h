// SPDX-License-Identifier: Apache-2.0
// What NCCL's NVTX ranges in a report of Nsight Systems tell beside their names: how many bytes a call exchanges. They
// are those of the kernel that the call asks for.
#pragma once

#include "engine/trace/interchange/foreign_event.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlab::trace {

class NsightPayloads {
public:
    /// First the fields of all payloads, rows of NVTX_PAYLOAD_SCHEMA_ENTRIES; `type` is NVTX's, `offset` in bytes.
    void addField(std::int64_t domain, std::int64_t schema, std::string_view name, std::int64_t type,
                  std::int64_t offset);
    /// Then all ranges: `data` is NVTX_EVENTS.binaryData, a header of 32 bytes (domain, schema, size of the payload)
    /// and the payload.
    void addRange(const ForeignEvent& span, std::string_view text, std::span<const std::byte> data);
    void rangesEnd();
    /// Then all calls: one within a range of its own thread is the range's.
    void addCall(std::uint32_t process, std::uint32_t thread, std::int64_t begin, std::uint32_t launch);
    /// Then what devices did. Bytes of the largest buffer of the call that asked for it, which the first kernel of a
    /// call or of a group of calls has alone; 0: they are not known.
    std::int64_t bytesOf(std::uint32_t process, std::uint32_t launch);

private:
    struct Field {
        std::size_t offset = 0, width = 0;
    };
    struct Schema {
        std::optional<Field> size, communicator, ranks;
    };
    enum class Call : std::uint8_t { Exchange, GroupStart, GroupEnd };
    struct Range {
        std::uint32_t process = 0, thread = 0;
        std::int64_t begin = 0, end = 0;
        std::int64_t bytes = 0;
        std::uint64_t communicator = 0;
        Call call = Call::Exchange;
        bool ofAll = false;  ///< `bytes` are a rank's part of the buffer
    };
    const Schema* schemaOf(std::span<const std::byte> data) const;

    std::map<std::pair<std::uint64_t, std::uint64_t>, Schema> schemas_;  ///< by domain and number
    std::map<std::uint64_t, std::uint64_t> ranksOf_;                     ///< by communicator
    std::vector<Range> ranges_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> launched_;  ///< by process and launch
};

}  // namespace shardlab::trace
