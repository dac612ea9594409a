// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/nsight_payloads.h"

#include "engine/base/most_ranks.h"
#include "engine/trace/metrics/figure_sum.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace shardlab::trace {
namespace {

constexpr std::size_t headerBytes = 32;
constexpr std::uint64_t mostMessage = std::uint64_t{1} << 44;  ///< bytes of a call: 16 TiB

/// Bytes of a whole number of this type of NVTX; 0: it is none, or a signed one of less than 4 bytes.
std::size_t widthOf(std::int64_t type) {
    switch (type) {
    case 5:   // int
    case 6:   // unsigned int
    case 15:  // int32_t
    case 16:  // uint32_t
        return 4;
    case 7:   // long
    case 8:   // unsigned long
    case 9:   // long long
    case 10:  // unsigned long long
    case 17:  // int64_t
    case 18:  // uint64_t
    case 22:  // size_t
        return 8;
    default: return 0;
    }
}

std::uint64_t littleEndian(std::span<const std::byte> data, std::size_t offset, std::size_t width) {
    std::uint64_t number = 0;
    for (std::size_t i = width; i-- > 0;) number = number << 8 | std::to_integer<std::uint64_t>(data[offset + i]);
    return number;
}

}  // namespace

void NsightPayloads::addField(std::int64_t domain, std::int64_t schema, std::string_view name, std::int64_t type,
                              std::int64_t offset) {
    const std::size_t width = widthOf(type);
    if (width == 0 || offset < 0 || offset > 1 << 16) return;
    const Field field{static_cast<std::size_t>(offset), width};
    const auto fields = [&]() -> Schema& {
        return schemas_[{static_cast<std::uint64_t>(domain), static_cast<std::uint64_t>(schema)}];
    };
    if (name == "Message size [bytes]") fields().size = field;
    else if (name == "NCCL communicator ID") fields().communicator = field;
    else if (name == "No. of ranks") fields().ranks = field;
}

const NsightPayloads::Schema* NsightPayloads::schemaOf(std::span<const std::byte> data) const {
    if (data.size() < headerBytes) return nullptr;
    const auto found = schemas_.find({littleEndian(data, 0, 8), littleEndian(data, 8, 8)});
    return found == schemas_.end() ? nullptr : &found->second;
}

void NsightPayloads::addRange(const ForeignEvent& span, std::string_view text, std::span<const std::byte> data) {
    Range range{.process = span.process, .thread = span.thread, .begin = span.event.begin, .end = span.event.end};
    if (text == "ncclGroupStart" || text == "ncclGroupEnd") {
        range.call = text.ends_with("Start") ? Call::GroupStart : Call::GroupEnd;
        ranges_.push_back(range);
        return;
    }
    const Schema* schema = schemaOf(data);
    if (schema == nullptr) return;
    const std::span<const std::byte> payload = data.subspan(headerBytes);
    const auto number = [&](const std::optional<Field>& field) -> std::optional<std::uint64_t> {
        if (!field || field->offset + field->width > payload.size()) return std::nullopt;
        return littleEndian(payload, field->offset, field->width);
    };
    const auto communicator = number(schema->communicator), ranks = number(schema->ranks), size = number(schema->size);
    if (communicator && ranks && *ranks <= std::uint64_t{mostRanks}) ranksOf_[*communicator] = *ranks;
    if (!size || *size > mostMessage) return;
    range.bytes = static_cast<std::int64_t>(*size);
    range.communicator = communicator.value_or(0);
    range.ofAll = text == "ncclAllGather" || text == "ncclReduceScatter" || text == "ncclAlltoAll";
    ranges_.push_back(range);
}

void NsightPayloads::rangesEnd() {
    std::ranges::stable_sort(ranges_, {},
                             [](const Range& range) { return std::tuple(range.process, range.thread, range.begin); });
    int depth = 0;
    std::int64_t together = 0;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
        Range& range = ranges_[i];
        if (i == 0 || std::tie(range.process, range.thread) != std::tie(ranges_[i - 1].process, ranges_[i - 1].thread))
            depth = 0, together = 0;
        if (range.call == Call::GroupStart) {
            ++depth;
        } else if (range.call == Call::GroupEnd) {
            depth = std::max(0, depth - 1);
            if (depth == 0) range.bytes = std::exchange(together, 0);
        } else {
            const auto ranks = ranksOf_.find(range.communicator);
            if (range.ofAll && ranks != ranksOf_.end()) range.bytes *= static_cast<std::int64_t>(ranks->second);
            // What is asked for in a group begins where the group ends.
            if (depth > 0) grow(together, std::exchange(range.bytes, 0));
        }
    }
    std::erase_if(ranges_, [](const Range& range) { return range.bytes == 0; });
}

void NsightPayloads::addCall(std::uint32_t process, std::uint32_t thread, std::int64_t begin, std::uint32_t launch) {
    const auto after =
        std::ranges::upper_bound(ranges_, std::tuple(process, thread, begin), {}, [](const Range& range) {
            return std::tuple(range.process, range.thread, range.begin);
        });
    if (after == ranges_.begin()) return;
    const auto range = after - 1;
    if (range->process != process || range->thread != thread || range->end < begin) return;
    launched_.emplace(std::pair(process, launch), static_cast<std::size_t>(range - ranges_.begin()));
}

std::int64_t NsightPayloads::bytesOf(std::uint32_t process, std::uint32_t launch) {
    const auto launched = launched_.find({process, launch});
    return launched == launched_.end() ? 0 : std::exchange(ranges_[launched->second].bytes, 0);
}

}  // namespace shardlab::trace
