// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/telemetry.h"

#include "engine/base/clock.h"
#include "engine/trace/event/event_codec.h"
#include "engine/trace/event/event_payload.h"
#include "engine/trace/record/rank_link.h"

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <optional>
#include <poll.h>
#include <thread>

namespace shardlab::trace {
namespace {

constexpr std::int64_t drainEvery = 20 * nsPerMillisecond;
constexpr std::chrono::seconds goodbyeTime{2};

}  // namespace

struct Telemetry::Impl {
    explicit Impl(const TelemetryOptions& options)
        : rank(options.rank), recorder(options.rank, options.clockOrigin, options.ringEvents),
          spool(options.files != nullptr ? *options.files : disk, options.spool),
          link({options.rank, options.socket, options.token, options.giveUpAfter}, spool) {}
    ~Impl() { stop(); }

    void start() {
        thread = std::thread([this] { loop(); });
    }
    void stop() {
        stopping = true;
        wake.ring();
        if (thread.joinable()) thread.join();
    }

    void loop() {
        while (!stopping) {
            step(false);
            pollfd watched[2] = {{wake.descriptor(), POLLIN, 0}, {link.descriptor(), POLLIN, 0}};
            if (link.wantsToSend()) watched[1].events |= POLLOUT;
            ::poll(watched, 2, static_cast<int>(drainEvery / nsPerMillisecond));
            wake.clear();
        }
        step(true);
    }

    void step(bool last) {
        const std::int64_t now = monotonicNanoseconds();
        // Taken before the drain: whatever was recorded before finish() is then spooled before the goodbye.
        std::optional<std::string> lastWord;
        bool settling = false;
        std::deque<LogLine> lines;
        {
            const std::lock_guard lock(mutex);
            lastWord = std::exchange(goodbye, std::nullopt);
            lines = std::exchange(logLines, {});
            settling = unsettled;
        }
        // Not at every acknowledgement: small blocks cost more bytes.
        if (now >= nextDrain || lastWord || last || settling) {
            nextDrain = now + drainEvery;
            drainRecorder();
        }
        for (const LogLine& line : lines) spoolLine(line);
        reportSpoolFault();
        if (lastWord) {
            const auto end = std::string_view(*lastWord).substr(0, largestLogText);
            if (spool.append(FrameType::Goodbye, encode(end))) goodbyeEnd = spool.end();
        }
        link.advance(now);
        if (const auto line = link.takeClock()) recorder.follow(*line);
        if (const auto fault = link.takeFault()) suffer(*fault);
        const std::vector<Command> arrived = link.takeCommands();
        const std::lock_guard lock(mutex);
        commands.insert(commands.end(), arrived.begin(), arrived.end());
        welcomed = welcomed || link.welcomed();
        orphan = link.orphaned();
        goodbyeHeard = goodbyeEnd && link.acknowledged() >= *goodbyeEnd;
        if (settling || last) unsettled = false;
        changed.notify_all();
    }

    void drainRecorder() {
        lost += recorder.drain([this](std::span<const Event> events) {
            spoolNames();
            while (!events.empty()) {
                const auto block = events.first(std::min(events.size(), largestBlock));
                spoolEvents(block);
                events = events.subspan(block.size());
            }
        });
        if (lost == 0) return;
        const std::int64_t now = recorder.now();
        const auto count = static_cast<double>(std::exchange(lost, 0));
        const Event dropped{now, now, 0, count, 0, -1, static_cast<std::int16_t>(rank), Lane::Host, EventKind::Dropped};
        spoolEvents(std::span(&dropped, 1));
    }

    /// Whatever the rank is doing.
    void suffer(InjectedFaultKind kind) {
        const std::int64_t now = recorder.now();
        recorder.record({.begin = now,
                         .end = now,
                         .bytes = static_cast<std::int64_t>(kind),
                         .value = 1,
                         .lane = Lane::Host,
                         .kind = EventKind::InjectedFault});
        drainRecorder();
        std::raise(kind == InjectedFaultKind::Kill ? SIGKILL : SIGSTOP);
    }

    void spoolEvents(std::span<const Event> events) {
        encoded.clear();
        encodeEvents(events, encoded);
        if (spool.append(FrameType::Events, encoded)) return;
        // A drop report that is itself refused stands for the events it reports.
        for (const Event& event : events) lost += event.kind == EventKind::Dropped ? eventsLost(event) : 1;
    }

    /// Events that have been taken out of the recorder have no other names than those that were given by now.
    void spoolNames() {
        std::deque<EventName> given;
        {
            const std::lock_guard lock(mutex);
            given = std::exchange(names, {});
        }
        for (const EventName& name : given)
            if (!spool.append(FrameType::Name, encode(name))) ++lost;
    }

    void spoolLine(const LogLine& line) {
        if (!spool.append(FrameType::Log, encode(line))) ++lost;
    }

    void reportSpoolFault() {
        if (!spool.fault() || faultReported) return;
        faultReported = true;
        spoolLine({recorder.now(), rank, LogLevel::Warning,
                   "this rank's spool is kept in memory from now on, training goes on: " + spool.fault()->text()});
    }

    const int rank;
    DiskFileSystem disk;
    Recorder recorder;

    // The thread's own.
    Spool spool;
    RankLink link;
    Bytes encoded;
    std::int64_t nextDrain = 0;
    std::int64_t lost = 0;  ///< events not spooled and not yet reported
    bool faultReported = false;
    std::optional<std::uint64_t> goodbyeEnd;

    WakeUp wake;
    std::atomic<bool> stopping{false};
    std::atomic<bool> orphan{false};
    std::mutex mutex;  ///< guards what follows
    std::condition_variable changed;
    std::deque<LogLine> logLines;
    std::deque<EventName> names;  ///< not spooled yet
    std::uint32_t namesGiven = 0;
    std::deque<Command> commands;
    std::optional<std::string> goodbye;
    bool unsettled = false;  ///< somebody waits for what was recorded to be spooled
    bool welcomed = false;
    bool goodbyeHeard = false;

    std::thread thread;
};

Telemetry::Telemetry(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Telemetry::~Telemetry() = default;

Result<std::unique_ptr<Telemetry>> Telemetry::connect(const TelemetryOptions& options) {
    auto impl = std::make_unique<Impl>(options);
    impl->start();
    {
        std::unique_lock lock(impl->mutex);
        impl->changed.wait(lock, [&] { return impl->welcomed || impl->orphan; });
        if (impl->welcomed) {
            lock.unlock();
            return std::make_unique<Telemetry>(std::move(impl));
        }
    }
    impl->stop();
    return fail({"cannot join the run", options.socket, impl->link.refusal(), ""});
}

Recorder& Telemetry::recorder() { return impl_->recorder; }

void Telemetry::log(LogLevel level, const std::string& text) {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->logLines.push_back({impl_->recorder.now(), impl_->rank, level, text});
    }
    impl_->wake.ring();
}

std::uint32_t Telemetry::name(const std::string& text) {
    const std::lock_guard lock(impl_->mutex);
    impl_->names.push_back({++impl_->namesGiven, text});
    return impl_->namesGiven;
}

void Telemetry::settle() {
    std::unique_lock lock(impl_->mutex);
    impl_->unsettled = true;
    impl_->wake.ring();
    impl_->changed.wait(lock, [this] { return !impl_->unsettled; });
}

Command Telemetry::takeCommand() {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->commands.empty()) return Command::None;
    const Command command = impl_->commands.front();
    impl_->commands.pop_front();
    return command;
}

bool Telemetry::orphaned() const { return impl_->orphan; }

void Telemetry::finish(const std::string& end) {
    std::unique_lock lock(impl_->mutex);
    impl_->goodbye = end;
    impl_->wake.ring();
    impl_->changed.wait_for(lock, goodbyeTime, [this] { return impl_->goodbyeHeard || impl_->orphan; });
    lock.unlock();
    impl_->stop();
}

}  // namespace shardlab::trace
