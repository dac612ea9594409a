// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/recorder.h"

#include "engine/trace/record/run_clock.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace shardlab::trace {
namespace {

/// One producer, one consumer. Indices count events for ever; the slot is the index modulo the capacity.
struct Ring {
    Ring(std::thread::id thread, std::size_t capacity) : owner(thread), events(capacity) {}

    /// The producer's. `write` fills the slot in its place: an event put together elsewhere, field by field, and then
    /// copied in wide words costs as much again, as a processor cannot forward such stores.
    template <class Write>
    void put(Write write) {
        const std::uint64_t at = written.load(std::memory_order_relaxed);
        if (at - readSeen == events.size()) {
            readSeen = read.load(std::memory_order_acquire);
            if (at - readSeen == events.size()) {
                dropped.store(dropped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
                return;
            }
        }
        write(events[at & (events.size() - 1)]);
        written.store(at + 1, std::memory_order_release);
    }

    const std::thread::id owner;
    std::vector<Event> events;  ///< a power of two

    // The producer's cache line, then the consumer's.
    alignas(64) std::atomic<std::uint64_t> written{0};
    std::uint64_t readSeen = 0;  ///< the producer's last look at `read`
    std::atomic<std::int64_t> dropped{0};
    alignas(64) std::atomic<std::uint64_t> read{0};
    std::int64_t droppedReported = 0;
};

/// The ring this thread used last, so that finding it costs one comparison.
struct LastRing {
    std::uint64_t recorder = 0;
    Ring* ring = nullptr;
};
thread_local LastRing lastRing;

/// Never repeats, unlike an address: a thread that outlives a recorder must not find its ring again.
std::uint64_t nextRecorder() {
    static std::atomic<std::uint64_t> count{0};
    return ++count;
}

}  // namespace

struct Recorder::Rings {
    Rings(std::int64_t clockOrigin, std::size_t events) : clock(clockOrigin), capacity(std::bit_ceil(events)) {}

    Ring& find() {
        if (lastRing.recorder == id) return *lastRing.ring;
        const std::thread::id thread = std::this_thread::get_id();
        const std::lock_guard lock(mutex);
        auto found = std::ranges::find(rings, thread, [](const auto& ring) { return ring->owner; });
        if (found == rings.end()) found = rings.insert(found, std::make_unique<Ring>(thread, capacity));
        lastRing = {id, found->get()};
        return **found;
    }

    const std::uint64_t id = nextRecorder();
    RunClock clock;
    const std::size_t capacity;
    std::mutex mutex;  ///< guards the list, not the rings: held when a thread records for the first time
    std::vector<std::unique_ptr<Ring>> rings;
};

Recorder::Recorder(int rank, std::int64_t clockOrigin, std::size_t capacity)
    : rings_(std::make_unique<Rings>(clockOrigin, std::max<std::size_t>(capacity, 1))), rank_(rank) {}
Recorder::~Recorder() = default;

void Recorder::follow(const ClockLine& line) { rings_->clock.follow(line); }

std::int64_t Recorder::now() const { return rings_->clock.now(); }

void Recorder::record(const Event& event) {
    rings_->find().put([&](Event& slot) {
        slot = event;
        slot.rank = static_cast<std::int16_t>(rank_);
    });
}

void Recorder::span(Lane lane, EventKind kind, std::int32_t step, std::int64_t begin, std::int64_t end, ActionId action,
                    std::int64_t bytes, double value) {
    rings_->find().put([&](Event& slot) {
        slot = {begin, end, bytes, value, action, step, static_cast<std::int16_t>(rank_), lane, kind};
    });
}

void Recorder::counter(EventKind kind, std::int32_t step, double value, std::int64_t bytes) {
    const std::int64_t time = now();
    record({time, time, bytes, value, 0, step, 0, Lane::Host, kind});
}

std::int64_t Recorder::drain(const std::function<void(std::span<const Event>)>& sink) {
    rings_->clock.adjust();
    std::vector<Ring*> rings;  // a copy: a thread's first event must not wait for the sink
    {
        const std::lock_guard lock(rings_->mutex);
        for (const auto& ring : rings_->rings) rings.push_back(ring.get());
    }
    std::int64_t droppedNow = 0;
    for (Ring* ring : rings) {
        const std::uint64_t end = ring->written.load(std::memory_order_acquire);
        for (std::uint64_t at = ring->read.load(std::memory_order_relaxed); at != end;) {
            const std::size_t slot = at & (ring->events.size() - 1);
            const std::size_t count = std::min<std::uint64_t>(end - at, ring->events.size() - slot);
            sink(std::span(ring->events).subspan(slot, count));
            at += count;
            ring->read.store(at, std::memory_order_release);
        }
        const std::int64_t dropped = ring->dropped.load(std::memory_order_relaxed);
        droppedNow += dropped - std::exchange(ring->droppedReported, dropped);
    }
    return droppedNow;
}

}  // namespace shardlab::trace
