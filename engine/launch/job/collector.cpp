// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/collector.h"

#include "engine/base/clock.h"
#include "engine/trace/event/event_codec.h"
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

namespace shardlab::launch {
namespace {

constexpr int handshakePoll = 50;  ///< milliseconds; so late at most a slow handshake is noticed
constexpr std::size_t mostWaitingEvents = std::size_t{1} << 20;

/// What is known of a rank, whether it is connected or not.
struct RankState {
    std::atomic<std::uint64_t> accepted = 0;  ///< all before this spool offset has been handed over
    bool joined = false;
    bool goodbye = false;
    bool refused = false;  ///< why its data are refused has been logged
};

struct Connection {
    FrameLink link;
    int rank;  ///< −1 once another connection is the rank's
    std::size_t commandsSent = 0;
    std::size_t clocksSent = 0;
    std::uint64_t acknowledged = 0;
    bool broken = false;  ///< to be closed
};

}  // namespace

struct Collector::Impl {
    Impl(const CollectorOptions& given, Descriptor socket)
        : options(given), listener(std::move(socket), {given.token, FrameType::Hello, std::nullopt, given.handshake}),
          ranks(static_cast<std::size_t>(given.ranks)) {}
    ~Impl() { stop(); }

    void stop() {
        stopping = true;
        wake.ring();
        if (thread.joinable()) thread.join();
    }

    /// What the thread is to do next; it is woken up for that.
    void order(const auto& change) {
        {
            const std::lock_guard lock(mutex);
            change();
        }
        wake.ring();
    }

    // --- the thread ---

    void loop() {
        while (!stopping) {
            std::vector<pollfd> watched{{wake.descriptor(), POLLIN, 0}};
            const bool room = hasRoom();
            for (const Connection& connection : connections) {
                const int in = room ? POLLIN : 0;
                const int out = connection.link.queued() > 0 ? POLLOUT : 0;
                watched.push_back({connection.link.descriptor(), static_cast<short>(in | out), 0});
            }
            listener.watch(watched);
            ::poll(watched.data(), watched.size(), handshakePoll);
            wake.clear();
            for (std::size_t i = 0; i < connections.size(); ++i)
                serve(connections[i], (watched[i + 1].revents & ~POLLOUT) != 0);
            listener.attend(monotonicNanoseconds(),
                            [this](FrameLink& link, const Hello& hello) { return welcome(link, hello); });
            dropBroken();
            for (const auto& task : takeTasks()) task();
        }
        for (Connection& connection : connections) readRest(connection);
        for (const auto& task : takeTasks()) task();
        connections.clear();
        listener.close();
        ::unlink(options.socket.c_str());
    }

    void serve(Connection& connection, bool ready) {
        if (connection.broken) return;
        if (ready && !readOnce(connection)) connection.broken = true;
        if (connection.broken) return;
        sendCommands(connection);
        const std::uint64_t accepted = state(connection).accepted;
        if (accepted != connection.acknowledged) connection.link.send(FrameType::Ack, encode(accepted));
        connection.acknowledged = accepted;
        if (!connection.link.flush()) connection.broken = true;
    }

    void sendCommands(Connection& connection) {
        const std::lock_guard lock(mutex);
        for (; connection.commandsSent < commands.size(); ++connection.commandsSent)
            connection.link.send(FrameType::Command, encode(commands[connection.commandsSent]));
        if (const auto strike = strikes.find(connection.rank); strike != strikes.end()) {
            connection.link.send(FrameType::Fault, encode(strike->second));
            strikes.erase(strike);
        }
        if (const auto clock = clocks.find(connection.rank);
            clock != clocks.end() && connection.clocksSent != clock->second.number) {
            connection.link.send(FrameType::Clock, encode(clock->second.line));
            connection.clocksSent = clock->second.number;
        }
    }

    /// False: the connection is at its end, or must be ended.
    bool readOnce(Connection& connection) {
        const bool open = connection.link.receive().has_value();
        return takeFrames(connection) && open;
    }

    /// Reads everything that a rank has put into its socket, also where the rank has gone.
    void readRest(Connection& connection) {
        while (!connection.broken) {
            const auto count = connection.link.receive();
            if (!takeFrames(connection) || !count || *count == 0) return;
        }
    }

    bool takeFrames(Connection& connection) {
        const LinkState state =
            connection.link.takeFrames([&](const Frame& frame) { return takeSpooled(connection, frame); });
        listener.countEnd(state);
        return state == LinkState::Open;
    }

    std::optional<Refusal> welcome(FrameLink& link, const Hello& hello) {
        if (hello.rank < 0 || hello.rank >= options.ranks)
            return Refusal{&CallerCounts::wrongGreeting, "the run has no such rank"};
        // A rank that comes back has given up its former link, whatever the socket says.
        for (Connection& other : connections) {
            if (other.rank == hello.rank) {
                other.rank = -1;
                other.broken = true;
            }
        }
        RankState& rank = ranks[static_cast<std::size_t>(hello.rank)];
        const bool back = std::exchange(rank.joined, true);
        if (back) ++resumed;
        connections.push_back({std::move(link), hello.rank, hello.commandsTaken, 0, rank.accepted});
        Connection& connection = connections.back();
        connection.link.send(FrameType::Welcome, encode(connection.acknowledged));
        say(RankHello{hello.rank, hello.pid, hello.host, back});
        serve(connection, true);
        return std::nullopt;
    }

    bool takeSpooled(Connection& connection, const Frame& frame) {
        ByteReader reader(frame.body);
        const auto offset = reader.fixed<std::uint64_t>();
        if (!reader.ok()) return false;
        return handOver(connection.rank, offset, {frame.type, frame.body.subspan(sizeof offset), frame.size});
    }

    /// Logs once why a rank's data are refused: the rank sends them again whenever its link is back.
    bool refuse(int rank, const Error& why) {
        if (!std::exchange(ranks[static_cast<std::size_t>(rank)].refused, true))
            say(LogLine{std::clamp(monotonicNanoseconds() - options.clockOrigin, -latestTime, latestTime), rank,
                        LogLevel::Error, "its data are refused: " + why.text()});
        return false;
    }

    /// Takes one spooled frame, without its offset. False: it is out of place, or not what its type says.
    bool handOver(int rank, std::uint64_t offset, const Frame& frame) {
        RankState& known = ranks[static_cast<std::size_t>(rank)];
        if (offset != known.accepted) return false;
        switch (frame.type) {
        case FrameType::Events: {
            std::vector<Event> events;
            if (const Status decoded = decodeEvents(frame.body, events); !decoded) return refuse(rank, decoded.error());
            for (Event& event : events) event.rank = static_cast<std::int16_t>(rank);
            handedOver += static_cast<std::int64_t>(events.size());
            say(std::move(events));
            break;
        }
        case FrameType::Log: {
            Result<LogLine> line = decode<LogLine>(frame.body);
            if (!line) return refuse(rank, line.error());
            line->rank = rank;
            say(std::move(*line));
            break;
        }
        case FrameType::Name: {
            Result<EventName> name = decode<EventName>(frame.body);
            if (!name) return refuse(rank, name.error());
            say(RankName{rank, std::move(*name)});
            break;
        }
        case FrameType::Goodbye: {
            const auto end = decode<std::string>(frame.body);
            if (!end) return false;
            known.goodbye = true;
            say(RankGoodbye{rank, *end});
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
                say(RankLinkLost{connection.rank});
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
        if (!inPlace)
            return fail({base::say("damaged spool"), spool.string(),
                         base::say("a frame is not where or what it should be"), ""});
        return {};
    }

    RankState& state(const Connection& connection) { return ranks[static_cast<std::size_t>(connection.rank)]; }

    bool hasRoom() {
        const std::lock_guard lock(mutex);
        return waitingEvents < mostWaitingEvents;
    }

    void say(RankMessage message) {
        const std::lock_guard lock(mutex);
        if (const auto* events = std::get_if<std::vector<Event>>(&message)) waitingEvents += events->size();
        messages.push_back(std::move(message));
    }

    std::vector<std::function<void()>> takeTasks() {
        const std::lock_guard lock(mutex);
        return std::exchange(tasks, {});
    }

    const CollectorOptions options;
    Listener<Hello> listener;
    std::vector<RankState> ranks;
    std::vector<Connection> connections;
    DiskFileSystem disk;
    std::atomic<std::int64_t> handedOver{0}, resumed{0};  ///< events; links that came back

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
    std::vector<RankMessage> messages;  ///< not taken yet
    std::size_t waitingEvents = 0;      ///< events among these

    std::thread thread;
};

Collector::Collector(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Collector::~Collector() = default;

Result<std::unique_ptr<Collector>> Collector::listen(const CollectorOptions& options) {
    auto socket = listenUnix(options.socket);
    if (!socket) return fail(socket.error());
    auto impl = std::make_unique<Impl>(options, std::move(*socket));
    impl->thread = std::thread([&loop = *impl] { loop.loop(); });
    return std::make_unique<Collector>(std::move(impl));
}

std::vector<RankMessage> Collector::take() {
    const std::lock_guard lock(impl_->mutex);
    impl_->waitingEvents = 0;
    return std::exchange(impl_->messages, {});
}

void Collector::send(Command command) {
    impl_->order([&] { impl_->commands.push_back(command); });
}

void Collector::strike(int rank, InjectedFaultKind kind) {
    impl_->order([&] { impl_->strikes[rank] = kind; });
}

void Collector::setClock(int rank, const ClockLine& line) {
    impl_->order([&] {
        Impl::Clock& clock = impl_->clocks[rank];
        clock = {line, clock.number + 1};
    });
}

std::uint64_t Collector::accepted(int rank) const { return impl_->ranks[static_cast<std::size_t>(rank)].accepted; }

Status Collector::recover(int rank, const std::filesystem::path& spool) {
    if (rank < 0 || rank >= impl_->options.ranks)
        return fail({say("cannot recover a spool"), spool.string(), say("there is no rank {}", rank), ""});
    auto done = std::make_shared<std::promise<Status>>();
    auto result = done->get_future();
    {
        const std::lock_guard lock(impl_->mutex);
        if (impl_->stopping)
            return fail({say("cannot recover a spool"), spool.string(), say("the collector has stopped"), ""});
        impl_->tasks.push_back(
            [impl = impl_.get(), rank, spool, done] { done->set_value(impl->recoverNow(rank, spool)); });
    }
    impl_->wake.ring();
    return result.get();
}

CollectorCounts Collector::counts() const { return {impl_->listener.counts(), impl_->handedOver, impl_->resumed}; }

void Collector::stop() { impl_->stop(); }

}  // namespace shardlab::launch
