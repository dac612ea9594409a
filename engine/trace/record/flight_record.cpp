// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/flight_record.h"

#include "engine/base/clock.h"
#include "engine/base/mapped_file.h"
#include "engine/base/units.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace shardlab::trace {
namespace {

constexpr std::uint64_t flightMagic = 0x31746867'696c4653;  // "SFlight1" in the file; the digit is the version
constexpr const char* flightRecord = "the flight record";

/// Entry n lies in slot n mod capacity; it is whole where complement is ~number.
struct FlightSlot {
    std::uint64_t number = 0;
    std::uint64_t kind = 0;
    std::uint64_t action = 0;
    std::uint64_t stepAndPeer = 0;
    std::uint64_t bytes = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t complement = 0;
};

struct FlightPage {
    std::uint64_t magic = 0;
    std::array<FlightSlot, FlightRecord::capacity> slots;
};
constexpr std::size_t flightPageWords = sizeof(FlightPage) / sizeof(std::uint64_t);

FlightPage& flightPageOf(const MappedFile& file) { return *reinterpret_cast<FlightPage*>(file.words().data()); }

FlightEntry entryOf(FlightSlot& slot) {
    FlightEntry entry;
    entry.number = get(slot.number);
    entry.kind = static_cast<EventKind>(get(slot.kind));
    entry.action = get(slot.action);
    const std::uint64_t stepAndPeer = get(slot.stepAndPeer);
    entry.step = static_cast<std::int32_t>(stepAndPeer >> 32);
    entry.peer = static_cast<int>(static_cast<std::uint32_t>(stepAndPeer));
    entry.bytes = static_cast<std::int64_t>(get(slot.bytes));
    entry.begin = static_cast<std::int64_t>(get(slot.begin));
    entry.end = static_cast<std::int64_t>(get(slot.end));
    return entry;
}

}  // namespace

std::string toText(const FlightEntry& entry, std::int64_t now) {
    const Action action = actionFromId(entry.action);
    std::string text = fmt::format("step {}: {}", entry.step, toText(action));
    if (entry.peer >= 0) text += fmt::format(" {} rank {}", isReceive(action.kind) ? "from" : "to", entry.peer);
    if (eventKind(action.kind) != entry.kind) text += fmt::format(", {}", name(entry.kind));
    if (entry.bytes > 0) text += ", " + formatBytes(entry.bytes);
    // Another host's clock may be a little ahead of the reader's: then the operation has begun just now.
    const auto lasted = [](std::int64_t nanoseconds) {
        return formatSeconds(toSeconds(std::max<std::int64_t>(0, nanoseconds)));
    };
    return text + (entry.end == 0 ? ", under way for " + lasted(now - entry.begin)
                                  : ", took " + lasted(entry.end - entry.begin));
}

struct FlightRecord::Mapping {
    explicit Mapping(MappedFile whole) : mapped(std::move(whole)) {}
    MappedFile mapped;
    std::uint64_t count = 0;
    std::vector<FlightEntry> open;  ///< under way; few
};

FlightRecord::FlightRecord(std::unique_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}
FlightRecord::FlightRecord(FlightRecord&&) noexcept = default;
FlightRecord& FlightRecord::operator=(FlightRecord&&) noexcept = default;
FlightRecord::~FlightRecord() = default;

Result<FlightRecord> FlightRecord::create(const std::filesystem::path& file) {
    auto mapped = MappedFile::create(file, flightPageWords, flightRecord);
    if (!mapped) return fail(mapped.error());
    std::atomic_ref(flightPageOf(*mapped).magic).store(flightMagic, std::memory_order_release);
    return FlightRecord(std::make_unique<Mapping>(std::move(*mapped)));
}

void FlightRecord::begin(FlightEntry entry) {
    entry.number = ++mapping_->count;
    FlightSlot& slot = flightPageOf(mapping_->mapped).slots[entry.number % capacity];
    put(slot.number, entry.number);
    std::atomic_thread_fence(std::memory_order_release);
    put(slot.kind, static_cast<std::uint64_t>(entry.kind));
    put(slot.action, entry.action);
    put(slot.stepAndPeer,
        std::uint64_t{static_cast<std::uint32_t>(entry.step)} << 32 | static_cast<std::uint32_t>(entry.peer));
    put(slot.bytes, static_cast<std::uint64_t>(entry.bytes));
    put(slot.begin, static_cast<std::uint64_t>(entry.begin));
    put(slot.end, static_cast<std::uint64_t>(entry.end));
    std::atomic_ref(slot.complement).store(~entry.number, std::memory_order_release);
    if (entry.end == 0) mapping_->open.push_back(entry);
}

void FlightRecord::complete(const FlightEntry& entry) {
    const auto began = std::ranges::find_if(mapping_->open, [&](const FlightEntry& open) {
        return open.kind == entry.kind && open.action == entry.action;
    });
    if (began == mapping_->open.end()) return begin(entry);
    // Where a later operation has taken the slot meanwhile, this one is forgotten.
    FlightSlot& slot = flightPageOf(mapping_->mapped).slots[began->number % capacity];
    // Both moments are the span's: a paced message or a device's has a begin of its own, which may be before begin()
    // was called.
    if (get(slot.number) == began->number) {
        put(slot.begin, static_cast<std::uint64_t>(entry.begin));
        put(slot.end, static_cast<std::uint64_t>(entry.end));
    }
    mapping_->open.erase(began);
}

Result<std::vector<FlightEntry>> readFlight(const std::filesystem::path& file) {
    const auto mapped = MappedFile::open(file, flightPageWords, flightRecord);
    if (!mapped) return fail(mapped.error());
    FlightPage& page = flightPageOf(*mapped);
    if (std::atomic_ref(page.magic).load(std::memory_order_acquire) != flightMagic)
        return fail(
            {"cannot read the flight record", file.string(), "it is no flight record, or of another version", ""});
    std::vector<FlightEntry> entries;
    for (FlightSlot& slot : page.slots) {
        const std::uint64_t complement = std::atomic_ref(slot.complement).load(std::memory_order_acquire);
        const FlightEntry entry = entryOf(slot);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (entry.number != 0 && complement == ~entry.number && get(slot.number) == entry.number)
            entries.push_back(entry);
    }
    std::ranges::sort(entries, {}, &FlightEntry::number);
    return entries;
}

}  // namespace shardlab::trace
