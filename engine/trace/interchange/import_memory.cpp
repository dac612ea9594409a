// SPDX-License-Identifier: Apache-2.0
// PyTorch's memory snapshots: each device of each file is a rank, what its allocator gave out is memory over time by
// category. A block that outlives the phase it was asked for in is of that phase's category, any other of a known phase
// temporary; of the rest nobody knows what it is for, and it is told apart.
#include "engine/base/units.h"
#include "engine/trace/interchange/memory_snapshot.h"
#include "engine/trace/interchange/import_formats.h"
#include "engine/trace/metrics/figure_sum.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <unordered_map>

namespace shardlab::trace {
namespace {

/// The six categories and, last, what nobody knows.
using HeldBytes = std::array<std::int64_t, memoryCategoryCount + 1>;
constexpr std::size_t unknownOrigin = memoryCategoryCount;

/// A block from when it was given out to when it was given back.
struct Lifetime {
    std::int64_t bytes = 0;
    AllocationPhase phase = AllocationPhase::Unknown;
    std::uint32_t stretch = 0;  ///< in which it was asked for: the number of changes of phase before
    bool outlives = true;       ///< it was held when another stretch began
};

constexpr std::size_t noLifetime = ~std::size_t{0};

class DeviceAccount {
public:
    explicit DeviceAccount(const DeviceMemory& memory) : memory_(memory) {
        for (const AllocatorEntry& entry : memory.entries)
            requests_ = requests_ || entry.kind == AllocatorEntry::Kind::FreeRequested;
        for (const AllocatorEntry& entry : memory.entries) pair(entry);
        // What the history does not go back to is seen by what was held in the end.
        for (const AllocatorBlock& block : memory.blocks)
            if (block.held && !live_.contains(block.address)) before(block.bytes, block.phase);
        reserved_ = memory.reserved;
        for (const AllocatorEntry& entry : memory.entries) {
            if (entry.kind == AllocatorEntry::Kind::Reserved) reserved_ -= std::min(entry.bytes, reserved_);
            if (entry.kind == AllocatorEntry::Kind::Released) grow(reserved_, entry.bytes);
        }
        for (const std::size_t index : before_) grow(held_[categoryOf(lifetimes_[index])], lifetimes_[index].bytes);
        at_ = memory.entries.empty() ? 0 : memory.entries.front().time;
        keepPeak();
    }

    /// Goes through the history; `told` after each entry that changes something, first for what was held before.
    Status replay(const std::function<Status(const AllocatorEntry* entry)>& told) {
        if (const Status before = told(nullptr); !before) return before;
        for (std::size_t i = 0; i < memory_.entries.size(); ++i) {
            const AllocatorEntry& entry = memory_.entries[i];
            at_ = entry.time;
            if (entry.kind == AllocatorEntry::Kind::Reserved) grow(reserved_, entry.bytes);
            if (entry.kind == AllocatorEntry::Kind::Released) reserved_ -= std::min(entry.bytes, reserved_);
            if (const std::size_t ended = ends_[i]; ended != noLifetime) {
                std::int64_t& bytes = held_[categoryOf(lifetimes_[ended])];
                bytes -= std::min(lifetimes_[ended].bytes, bytes);
            }
            if (const std::size_t begun = begins_[i]; begun != noLifetime)
                grow(held_[categoryOf(lifetimes_[begun])], lifetimes_[begun].bytes);
            keepPeak();
            if (const Status done = told(&entry); !done) return done;
        }
        return {};
    }

    const HeldBytes& held() const { return held_; }
    std::int64_t reserved() const { return reserved_; }
    std::int64_t time() const { return at_; }

    static std::int64_t sum(const HeldBytes& held) {
        std::int64_t all = 0;
        for (const std::int64_t bytes : held) grow(all, bytes);
        return all;
    }

    struct Peak {
        HeldBytes held{};
        std::int64_t bytes = -1;
        std::int64_t reserved = 0;
        std::int64_t time = 0;
    };
    const Peak& peak() const { return peak_; }

private:
    std::size_t begin(std::int64_t bytes, AllocationPhase phase) {
        lifetimes_.push_back({bytes, phase, stretch_, true});
        return lifetimes_.size() - 1;
    }
    std::size_t before(std::int64_t bytes, AllocationPhase phase) {
        before_.push_back(begin(bytes, phase));
        return before_.back();
    }

    std::size_t end(const AllocatorEntry& entry) {
        const auto known = live_.find(entry.address);
        if (known == live_.end()) return before(entry.bytes, AllocationPhase::Unknown);
        const std::size_t ended = known->second;
        live_.erase(known);
        lifetimes_[ended].outlives = lifetimes_[ended].stretch != stretch_;
        return ended;
    }

    void pair(const AllocatorEntry& entry) {
        std::size_t begun = noLifetime, ended = noLifetime;
        if (entry.kind == AllocatorEntry::Kind::Allocated) {
            if (live_.contains(entry.address)) ended = end(entry);  // its end is not told
            if (entry.phase != AllocationPhase::Unknown && entry.phase != phase_) {
                phase_ = entry.phase;
                ++stretch_;
            }
            begun = begin(entry.bytes, entry.phase);
            live_[entry.address] = begun;
        } else if (entry.kind == AllocatorEntry::Kind::FreeRequested ||
                   (entry.kind == AllocatorEntry::Kind::FreeCompleted && !requests_)) {
            ended = end(entry);
        }
        begins_.push_back(begun);
        ends_.push_back(ended);
    }

    static std::size_t categoryOf(const Lifetime& lifetime) {
        const auto after = categoryAfter(lifetime.phase);
        if (!after) return unknownOrigin;
        return static_cast<std::size_t>(lifetime.outlives ? *after : MemoryCategory::Temporary);
    }

    void keepPeak() {
        if (const std::int64_t all = sum(held_); all > peak_.bytes) peak_ = {held_, all, reserved_, at_};
    }

    const DeviceMemory& memory_;
    bool requests_ = false;  ///< the history tells when memory was given back; else only when streams were done with it
    std::vector<Lifetime> lifetimes_;
    std::vector<std::size_t> begins_, ends_;  ///< the lifetime that an entry begins, and ends
    std::vector<std::size_t> before_;         ///< lifetimes that began before the history
    std::unordered_map<std::uint64_t, std::size_t> live_;
    AllocationPhase phase_ = AllocationPhase::Unknown;
    std::uint32_t stretch_ = 0;
    HeldBytes held_{};
    std::int64_t reserved_ = 0;
    std::int64_t at_ = 0;
    Peak peak_;
};

/// The events of one device.
class DeviceEvents {
public:
    DeviceEvents(ForeignTrace& trace, std::uint32_t process, const DeviceMemory& memory)
        : trace_(trace), process_(process), memory_(memory), account_(memory),
          allocated_(trace.name(fmt::format("memory allocated, device {}", memory.device))),
          reserved_(trace.name(fmt::format("memory reserved, device {}", memory.device))),
          unknown_(trace.name(fmt::format("memory of unknown origin, device {}", memory.device))) {}

    Status add() {
        const Status replayed = account_.replay([this](const AllocatorEntry* entry) {
            if (const Status changed = tellChanges(); !changed || entry == nullptr) return changed;
            return tell(*entry);
        });
        if (!replayed) return replayed;
        std::int64_t free = 0, largest = 0;
        for (const AllocatorBlock& block : memory_.blocks) {
            if (!block.free) continue;
            grow(free, block.bytes);
            largest = std::max(largest, block.bytes);
        }
        const DeviceAccount::Peak& peak = account_.peak();
        if (const Status added = put(EventKind::MemoryPeak, 0, peak.bytes, 0); !added) return added;
        if (free > 0)
            if (const Status added = put(EventKind::LargestFree, 0, largest, static_cast<double>(free)); !added)
                return added;
        trace_.note(conclusion(peak, free, largest));
        return {};
    }

private:
    std::string conclusion(const DeviceAccount::Peak& peak, std::int64_t free, std::int64_t largest) const {
        std::string parts;
        for (std::size_t i = 0; i < peak.held.size(); ++i)
            if (peak.held[i] > 0)
                parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ",
                                     i == unknownOrigin ? "unknown" : name(static_cast<MemoryCategory>(i)),
                                     formatBytes(static_cast<double>(peak.held[i])));
        return fmt::format(
            "{}, device {}: peak {}{}{}, while {} were reserved; in the end {} are reserved, of which {} are "
            "free, in blocks of at most {}",
            trace_.process(process_).source, memory_.device, formatBytes(static_cast<double>(peak.bytes)),
            parts.empty() ? "" : " = ", parts, formatBytes(static_cast<double>(peak.reserved)),
            formatBytes(static_cast<double>(memory_.reserved)), formatBytes(static_cast<double>(free)),
            formatBytes(static_cast<double>(largest)));
    }

    Status put(EventKind kind, ActionId action, std::int64_t bytes, double value) {
        ForeignEvent event;
        event.process = process_;
        event.event = {.begin = account_.time(),
                       .end = account_.time(),
                       .bytes = bytes,
                       .value = value,
                       .action = action,
                       .lane = Lane::Host,
                       .kind = kind};
        return trace_.add(event);
    }
    Status count(ActionId name, std::int64_t bytes) {
        return put(EventKind::NamedCounter, name, bytes, static_cast<double>(bytes));
    }

    Status tellChanges() {
        const HeldBytes& held = account_.held();
        for (std::size_t i = 0; i < held.size(); ++i) {
            if (held[i] == told_[i]) continue;
            const Status added = i == unknownOrigin ? count(unknown_, held[i])
                                                    : put(memoryKind(static_cast<MemoryCategory>(i)), 0, held[i], 0);
            if (!added) return added;
        }
        if (const std::int64_t all = DeviceAccount::sum(held); held != told_) {
            trace_.addMemory(process_, account_.time(), all);
            if (const Status added = count(allocated_, all); !added) return added;
        }
        told_ = held;
        if (account_.reserved() == toldReserved_) return {};
        toldReserved_ = account_.reserved();
        return count(reserved_, toldReserved_);
    }

    Status tell(const AllocatorEntry& entry) {
        if (entry.kind == AllocatorEntry::Kind::OutOfMemory)
            return put(EventKind::Mark,
                       trace_.name(fmt::format("out of memory: {} were asked for",
                                               formatBytes(static_cast<double>(entry.bytes)))),
                       entry.bytes, 0);
        if (entry.kind == AllocatorEntry::Kind::Taken)
            return put(EventKind::Mark, trace_.name("memory snapshot"), 0, 0);
        return {};
    }

    ForeignTrace& trace_;
    std::uint32_t process_;
    const DeviceMemory& memory_;
    DeviceAccount account_;
    ActionId allocated_, reserved_, unknown_;
    HeldBytes told_{};
    std::int64_t toldReserved_ = 0;
};

}  // namespace

Status readMemory(const std::filesystem::path& file, ForeignTrace& trace, const ShareWatcher& watcher) {
    const auto snapshot = readMemorySnapshot(file, watcher);
    if (!snapshot) return fail(snapshot.error());
    if (!snapshot->timed) trace.note(file.filename().string() + " tells no times: its entries are drawn 1 µs apart");
    for (const auto& [action, count] : snapshot->unread)
        trace.ignored(fmt::format("entries of the allocator: {}", action.empty() ? "without an action" : action),
                      count);
    for (const DeviceMemory& memory : snapshot->devices) {
        if (const Status room = trace.room(); !room) return room;
        ForeignProcess process{.source = file.filename().string(), .label = fmt::format("device {}", memory.device)};
        // Nobody knows which of a process's several devices is the rank's.
        if (snapshot->devices.size() == 1) process.rank = snapshot->rank;
        process.order = memory.device;
        if (const Status added = DeviceEvents(trace, trace.addProcess(std::move(process)), memory).add(); !added)
            return added;
    }
    return {};
}

}  // namespace shardlab::trace
