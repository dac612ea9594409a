// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/collector.h"

#include "engine/base/clock.h"
#include "engine/trace/event/event_codec.h"
#include "engine/trace/event/legal_time.h"
#include "engine/trace/record/frame_link.h"
#include "engine/trace/record/spool.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace shardlab {
namespace {

constexpr std::size_t largestHello = 4096;
constexpr std::size_t mostNewcomers = 64;  ///< connections without a token at a time; further ones wait in the backlog
constexpr int handshakePoll = 50;          ///< so late at most a slow handshake is noticed

/// What is known of a rank whether it is connected or not.
struct RankState {
    std::atomic<std::uint64_t> accepted = 0;  ///< all before this spool offset has been handed over
    bool joined = false;
    bool goodbye = false;
    bool refused = false;  ///< it has been said that it sends what cannot be
};

struct Connection {
    FrameLink link;
    std::int64_t since;
    int rank = -1;  ///< −1 until the handshake is done
    std::size_t commandsSent = 0;
    std::size_t clocksSent = 0;
    std::uint64_t acknowledged = 0;
    bool broken = false;  ///< to be closed
};

/// The counts, written by the thread and read by anyone.
struct Counters {
    std::atomic<std::int64_t> events{0}, wrongToken{0}, garbage{0}, oversized{0}, slowHandshake{0}, resumed{0};
};

}  // namespace

struct Collector::Impl {
    Impl(const CollectorOptions& given, CollectorObserver& watcher, Descriptor socket)
        : options(given), observer(watcher), listener(std::move(socket)), ranks(static_cast<std::size_t>(given.ranks)) {
    }
    ~Impl() { stop(); }

    void stop() {
        stopping = true;
        wake.ring();
        if (thread.joinable()) thread.join();
    }

    // --- the thread ---

    void loop() {
        while (!stopping) {
            std::vector<pollfd> watched{{wake.descriptor(), POLLIN, 0},
                                        {strangers() < mostNewcomers ? listener.value() : -1, POLLIN, 0}};
            const bool room = observer.hasRoom();
            for (const Connection& connection : connections) {
                const int in = room || connection.rank < 0 ? POLLIN : 0;
                const int out = connection.link.queued() > 0 ? POLLOUT : 0;
                watched.push_back({connection.link.descriptor(), static_cast<short>(in | out), 0});
            }
            ::poll(watched.data(), watched.size(), handshakePoll);
            wake.clear();
            const std::int64_t now = monotonicNanoseconds();
            const bool called = (watched[1].revents & POLLIN) != 0;
            for (std::size_t i = 0; i < connections.size(); ++i)
                serve(connections[i], (watched[i + 2].revents & ~POLLOUT) != 0, now);
            dropBroken();
            if (called) acceptAll(now);
            for (const auto& task : takeTasks()) task();
        }
        for (Connection& connection : connections) readRest(connection);
        for (const auto& task : takeTasks()) task();
        connections.clear();
        listener.close();
        ::unlink(options.socket.c_str());
    }

    std::size_t strangers() const {
        return static_cast<std::size_t>(std::ranges::count(connections, -1, &Connection::rank));
    }

    void acceptAll(std::int64_t now) {
        while (strangers() < mostNewcomers) {
            auto socket = acceptUnix(listener);
            if (!socket) return;
            connections.push_back({FrameLink(std::move(*socket)), now});
            connections.back().link.parser().setLimit(largestHello);
        }
    }

    void serve(Connection& connection, bool ready, std::int64_t now) {
        if (connection.broken) return;
        if (ready && !readOnce(connection)) connection.broken = true;
        if (connection.rank < 0 && now - connection.since > options.handshake.count() * 1'000'000) {
            ++counts.slowHandshake;
            connection.broken = true;
        }
        if (connection.broken || connection.rank < 0) return;
        sendCommands(connection);
        const std::uint64_t accepted = state(connection).accepted;
        if (accepted != connection.acknowledged) connection.link.sendNumber(FrameType::Ack, accepted);
        connection.acknowledged = accepted;
        if (!connection.link.flush()) connection.broken = true;
    }

    void sendCommands(Connection& connection) {
        const std::lock_guard lock(mutex);
        for (; connection.commandsSent < commands.size(); ++connection.commandsSent)
            connection.link.send(FrameType::Command, std::as_bytes(std::span(&commands[connection.commandsSent], 1)));
        if (const auto strike = strikes.find(connection.rank); strike != strikes.end()) {
            connection.link.send(FrameType::Fault, std::as_bytes(std::span(&strike->second, 1)));
            strikes.erase(strike);
        }
        if (const auto clock = clocks.find(connection.rank);
            clock != clocks.end() && connection.clocksSent != clock->second.number) {
            connection.link.send(FrameType::Clock, encodeClock(clock->second.line));
            connection.clocksSent = clock->second.number;
        }
    }

    /// False: the connection is at its end, or must be ended.
    bool readOnce(Connection& connection) {
        const auto count = connection.link.receive();
        return takeFrames(connection) && count.has_value();
    }

    /// Everything a rank has put into its socket, also where it has gone.
    void readRest(Connection& connection) {
        while (!connection.broken) {
            const auto count = connection.link.receive();
            if (!takeFrames(connection) || !count || *count == 0) return;
        }
    }

    bool takeFrames(Connection& connection) {
        Frame frame;
        for (;;) {
            switch (connection.link.parser().next(frame)) {
            case FrameParser::Outcome::NeedMore: return true;
            case FrameParser::Outcome::Oversized: ++counts.oversized; return false;
            case FrameParser::Outcome::Damaged: ++counts.garbage; return false;
            case FrameParser::Outcome::Frame: break;
            }
            if (connection.rank < 0) {
                if (!greet(connection, frame)) return false;
            } else if (!takeSpooled(connection, frame)) {
                ++counts.garbage;
                return false;
            }
        }
    }

    bool greet(Connection& connection, const Frame& frame) {
        const Result<Hello> hello = decodeHello(frame.body);
        if (frame.type != FrameType::Hello || !hello) {
            ++counts.garbage;
            return false;
        }
        if (hello->protocol != wireProtocol || hello->token != options.token || hello->rank < 0 ||
            hello->rank >= options.ranks) {
            ++counts.wrongToken;
            return false;
        }
        // A rank that comes back has given up its former link, whatever the socket says.
        for (Connection& other : connections) {
            if (other.rank == hello->rank) {
                other.rank = -1;
                other.broken = true;
            }
        }
        RankState& rank = ranks[static_cast<std::size_t>(hello->rank)];
        const bool resumed = std::exchange(rank.joined, true);
        if (resumed) ++counts.resumed;
        connection.rank = hello->rank;
        connection.commandsSent = hello->commandsTaken;
        connection.acknowledged = rank.accepted;
        connection.link.parser().setLimit(largestFrame);
        connection.link.sendNumber(FrameType::Welcome, rank.accepted);
        observer.rankJoined({hello->rank, hello->pid, hello->host, resumed});
        return true;
    }

    bool takeSpooled(Connection& connection, const Frame& frame) {
        ByteReader reader(frame.body);
        const auto offset = reader.fixed<std::uint64_t>();
        if (!reader.ok()) return false;
        return handOver(connection.rank, offset, {frame.type, frame.body.subspan(sizeof offset), frame.size});
    }

    /// Says once why what a rank sends is not taken: it sends it again whenever its link is back.
    bool refuse(int rank, const Error& why) {
        if (!std::exchange(ranks[static_cast<std::size_t>(rank)].refused, true))
            observer.logArrived({std::clamp(monotonicNanoseconds() - options.clockOrigin, -latestTime, latestTime),
                                 rank, LogLevel::Error, "what it sends is not taken: " + why.text()});
        return false;
    }

    /// One spooled frame, the offset taken off its body. False: out of place, or not what its type says.
    bool handOver(int rank, std::uint64_t offset, const Frame& frame) {
        RankState& known = ranks[static_cast<std::size_t>(rank)];
        if (offset != known.accepted) return false;
        switch (frame.type) {
        case FrameType::Events: {
            if (const Status decoded = decodeEvents(frame.body, events); !decoded) return refuse(rank, decoded.error());
            for (Event& event : events) event.rank = static_cast<std::int16_t>(rank);
            counts.events += static_cast<std::int64_t>(events.size());
            observer.eventsArrived(rank, events);
            break;
        }
        case FrameType::Log: {
            Result<LogLine> line = decodeLog(frame.body);
            if (!line) return refuse(rank, line.error());
            line->rank = rank;
            observer.logArrived(*line);
            break;
        }
        case FrameType::Goodbye: {
            ByteReader reader(frame.body);
            const std::string end = reader.text();
            if (!reader.atEnd()) return false;
            known.goodbye = true;
            observer.rankSaidGoodbye(rank, end);
            break;
        }
        default: return false;
        }
        known.accepted = offset + frame.size;
        return true;
    }

    void dropBroken() {
        for (const Connection& connection : connections) {
            if (connection.broken && connection.rank >= 0 && !state(connection).goodbye)
                observer.linkLost(connection.rank);
        }
        std::erase_if(connections, [](const Connection& connection) { return connection.broken; });
    }

    Status recoverNow(int rank, const std::filesystem::path& spool) {
        for (Connection& connection : connections) {
            if (connection.rank == rank) readRest(connection);
        }
        bool inPlace = true;
        const Status read = readSpool(
            disk, spool, ranks[static_cast<std::size_t>(rank)].accepted,
            [&](std::uint64_t offset, const Frame& frame) { inPlace = inPlace && handOver(rank, offset, frame); });
        if (!read) return read;
        if (!inPlace) return fail({"damaged spool", spool.string(), "a frame is not where or what it should be", ""});
        return {};
    }

    RankState& state(const Connection& connection) { return ranks[static_cast<std::size_t>(connection.rank)]; }

    std::vector<std::function<void()>> takeTasks() {
        const std::lock_guard lock(mutex);
        return std::exchange(tasks, {});
    }

    const CollectorOptions options;
    CollectorObserver& observer;
    Descriptor listener;
    std::vector<RankState> ranks;
    std::vector<Connection> connections;
    std::vector<Event> events;
    DiskFileSystem disk;
    Counters counts;

    WakeUp wake;
    std::atomic<bool> stopping{false};
    std::mutex mutex;  ///< guards what follows
    std::vector<Command> commands;
    std::map<int, InjectedFaultKind> strikes;  ///< by rank, not yet told
    struct Clock {
        ClockLine line;
        std::size_t number = 0;  ///< from 1
    };
    std::map<int, Clock> clocks;  ///< by rank
    std::vector<std::function<void()>> tasks;

    std::thread thread;
};

Collector::Collector(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Collector::~Collector() = default;

Result<std::unique_ptr<Collector>> Collector::listen(const CollectorOptions& options, CollectorObserver& observer) {
    auto socket = listenUnix(options.socket);
    if (!socket) return fail(socket.error());
    auto impl = std::make_unique<Impl>(options, observer, std::move(*socket));
    impl->thread = std::thread([&loop = *impl] { loop.loop(); });
    return std::make_unique<Collector>(std::move(impl));
}

void Collector::send(Command command) {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->commands.push_back(command);
    }
    impl_->wake.ring();
}

void Collector::strike(int rank, InjectedFaultKind kind) {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->strikes[rank] = kind;
    }
    impl_->wake.ring();
}

void Collector::setClock(int rank, const ClockLine& line) {
    {
        const std::lock_guard lock(impl_->mutex);
        Impl::Clock& clock = impl_->clocks[rank];
        clock = {line, clock.number + 1};
    }
    impl_->wake.ring();
}

std::uint64_t Collector::accepted(int rank) const { return impl_->ranks[static_cast<std::size_t>(rank)].accepted; }

Status Collector::recover(int rank, const std::filesystem::path& spool) {
    if (rank < 0 || rank >= impl_->options.ranks)
        return fail({"cannot recover a spool", spool.string(), "there is no rank " + std::to_string(rank), ""});
    auto done = std::make_shared<std::promise<Status>>();
    auto result = done->get_future();
    {
        const std::lock_guard lock(impl_->mutex);
        if (impl_->stopping) return fail({"cannot recover a spool", spool.string(), "the collector has stopped", ""});
        impl_->tasks.push_back(
            [impl = impl_.get(), rank, spool, done] { done->set_value(impl->recoverNow(rank, spool)); });
    }
    impl_->wake.ring();
    return result.get();
}

CollectorCounts Collector::counts() const {
    const Counters& counts = impl_->counts;
    return {counts.events, counts.wrongToken, counts.garbage, counts.oversized, counts.slowHandshake, counts.resumed};
}

void Collector::stop() { impl_->stop(); }

}  // namespace shardlab
