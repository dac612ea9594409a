// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/run_clock.h"

#include <algorithm>
#include <fstream>
#include <string>
#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace shardlab::trace {
namespace {

constexpr std::int64_t firstMeasurement = 4'000'000;  // 4 ms: some 20 parts per million
constexpr std::int64_t adjustAfter = 50'000'000;
constexpr double inOrder = 2'000;                            // what a processor may have under way, by far
constexpr std::int64_t settleTime = 500'000'000;             // an error is worked off in half a second
constexpr std::int64_t longestMeasurement = 10'000'000'000;  // then a new one starts, to follow a slewed clock

/// `rate` in parts of 2^-32.
std::uint64_t inParts(double rate) { return static_cast<std::uint64_t>(rate * 4294967296.0); }

/// The counter ticks evenly in every power state, on every core, and the kernel has not found otherwise.
bool counterIsTrusted() {
#ifdef __x86_64__
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) == 0 || (edx & (1u << 8)) == 0) return false;
    std::ifstream source("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    std::string name;
    source >> name;
    return name == "tsc";
#else
    return false;
#endif
}

}  // namespace

RunClock::RunClock(std::int64_t origin) : target_{origin, 0, 0} {
    static const bool trusted = counterIsTrusted();
    usesCounter_ = trusted;
    // All clocks of a process read the same counter.
    static const double rate = trusted ? measuredRate() : 1;
    rate_ = rate;
    base_ = sample();
    lineTicks_ = base_.ticks;
    lineTime_ = target_.runTime(base_.time);
    lineRate_ = plainRate_ = rateBefore_ = inParts(rate_);
}

double RunClock::measuredRate() const {
    const Sample first = sample();
    Sample next = first;
    while (next.time - first.time < firstMeasurement) next = sample();
    return static_cast<double>(next.time - first.time) / static_cast<double>(next.ticks - first.ticks);
}

/// The reading least disturbed between its two counter reads, of a few.
RunClock::Sample RunClock::sample() const {
    Sample best;
    std::uint64_t narrowest = ~std::uint64_t{0};
    for (int attempt = 0; attempt < 5; ++attempt) {
        const std::uint64_t before = ticks();
        const std::int64_t time = monotonicNanoseconds();
        const std::uint64_t width = ticks() - before;
        if (width < narrowest) {
            narrowest = width;
            best = {before + width / 2, time};
        }
    }
    return best;
}

void RunClock::adjust() {
    const Sample present = sample();
    const std::int64_t wanted = target_.runTime(present.time);
    if (wanted - lineTime_.load(std::memory_order_relaxed) < adjustAfter) return;
    if (usesCounter_) {
        const std::int64_t measured = present.time - base_.time;
        rate_ = static_cast<double>(measured) / static_cast<double>(present.ticks - base_.ticks);
        if (measured > longestMeasurement) base_ = present;
    }
    const std::int64_t shown = fromTicks(present.ticks);
    // Far behind (the machine slept): jump. Otherwise bend the line so that it meets the clock after settleTime;
    // it never turns back.
    const std::int64_t behind = wanted - shown;
    const bool jump = behind > settleTime;
    const double bend = jump ? 1.0 : std::clamp(1.0 + static_cast<double>(behind) / settleTime, 0.5, 2.0);
    const double settled = bend == 1.0 ? 0 : static_cast<double>(behind) / (bend - 1) / rate_;
    turnLine(rate_ * (1 - target_.drift), bend, static_cast<std::uint64_t>(settled), jump ? behind : 0);
}

// The counter is read while nobody reads the line: read before, this thread might be made to wait in between, and
// others would come further along the old line than the new one is by then. Processors read it a little out of order
// with memory, so the line turns somewhat later than that, and is the old one until then.
void RunClock::turnLine(double plainRate, double bend, std::uint64_t bentTicks, std::int64_t leap) {
    const std::uint32_t next = sequence_.load(std::memory_order_relaxed) + 1;
    const std::uint64_t from = lineTicks_.load(std::memory_order_relaxed),
                        rate = lineRate_.load(std::memory_order_relaxed),
                        plain = plainRate_.load(std::memory_order_relaxed),
                        bent = bentTicks_.load(std::memory_order_relaxed);
    sequence_.store(next, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const std::uint64_t at = ticks() + static_cast<std::uint64_t>(inOrder / (plainRate * bend));
    const std::uint64_t past = at - from, onBend = std::min(past, bent);
    const std::int64_t gone =
        along(static_cast<std::int64_t>(onBend), rate) + along(static_cast<std::int64_t>(past - onBend), plain);
    lineTime_.fetch_add(gone + leap, std::memory_order_relaxed);
    lineTicks_.store(at, std::memory_order_relaxed);
    lineRate_.store(inParts(plainRate * bend), std::memory_order_relaxed);
    plainRate_.store(inParts(plainRate), std::memory_order_relaxed);
    bentTicks_.store(bentTicks, std::memory_order_relaxed);
    // The slower of the two: by it no moment is earlier than the old line said, wherever that took up the plain rate.
    rateBefore_.store(std::min(rate, plain), std::memory_order_relaxed);
    sequence_.store(next + 1, std::memory_order_release);
}

}  // namespace shardlab::trace
