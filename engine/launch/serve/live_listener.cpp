// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/live_listener.h"

#include "engine/base/clock.h"
#include "engine/layout/layout_file.h"
#include "engine/launch/serve/live_frames.h"
#include "engine/launch/serve/relayed_calls.h"
#include "engine/launch/serve/sender.h"
#include "engine/launch/serve/stillness.h"
#include "engine/trace/event/legal_time.h"
#include "engine/trace/run_file/run_file.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <list>
#include <map>
#include <mutex>
#include <poll.h>
#include <thread>
#include <tuple>

namespace shardlab::launch {
namespace {

constexpr int listenPoll = 50;
constexpr int mostSenders = 4096;

/// The header of a run of the expected layout; where there is none, its layout says how many ranks there are and
/// nothing else.
RunHeader headerFor(const std::string& program, int world, const std::optional<ExpectedRun>& expected) {
    RunHeader header = foreignHeader(program.empty() ? "another program" : program, expected);
    if (expected) return header;
    header.layout.name = header.origin;
    header.layout.parallel.data = world;
    header.layout.parallel.pipeline = 1;
    header.layout.cluster.hosts.front().devices = world;
    header.layoutJson = writeLayout(header.layout);
    return header;
}

struct SenderConnection {
    FrameLink link;
    Greeting greeting;
    std::int64_t since;
    bool joined = false;
    bool broken = false;
};

struct Relay {
    RelayedCalls calls;
    std::uint64_t caller;
    bool broken = false;
};

/// How a rank stands, over all programs that were it.
struct Seat {
    std::uint64_t caller = 0;  ///< 0: nobody was it yet
    RankRecord record;
    bool connected = false;
    bool left = false;
    std::int64_t lostAt = 0;
    std::string failure;  ///< why it left, where the program says that it failed
    std::string last;     ///< what it recorded last: "2F3 of step 5"
};

/// "2F3 of step 5"; empty where the event is of no action.
std::string placeOf(const Event& event) {
    if (event.action == 0 || nameNumber(event.action) != 0) return {};
    const std::string action = toText(actionFromId(event.action));
    return event.step < 0 ? action : fmt::format("{} of step {}", action, event.step);
}

}  // namespace

struct LiveListener::Impl {
    Impl(const ListenOptions& given, WatchObserver& watcher, Descriptor socket)
        : options(given), address(boundAddress(socket, given.address)), observer(watcher),
          listener(std::move(socket), {given.pass.secret, FrameType(LiveFrame::Greeting), FrameType(LiveFrame::Refusal),
                                       given.handshake, given.pass.security}),
          names([this](std::uint32_t number, const std::string& text) { observer.named(number, text); }) {
        if (options.expected) fit.emplace(options.expected->header.layout);
    }
    ~Impl() {
        stopping = true;
        wake.ring();
        if (thread.joinable()) thread.join();
    }

    void loop() {
        while (!stopping && !over) {
            std::vector<pollfd> watched{{wake.descriptor(), POLLIN, 0}};
            listener.watch(watched);
            for (const SenderConnection& each : connections) watched.push_back(each.link.awaited());
            for (const Relay& each : relays) each.calls.watch(watched);
            ::poll(watched.data(), watched.size(), listenPoll);
            const std::int64_t now = monotonicNanoseconds();
            listener.attend(now,
                            [&](FrameLink& link, const Greeting& greeting) { return welcome(link, greeting, now); });
            for (Relay& each : relays) pass(each, now);
            std::erase_if(relays, [](const Relay& each) { return each.broken; });
            for (SenderConnection& each : connections) serve(each, now);
            std::erase_if(connections, [](const SenderConnection& each) { return each.broken; });
            observer.paused();
            judge(now);
        }
        if (!seats.empty() && !over) end({"stopped", still ? still->holds() : std::string()});
        connections.clear();
        listener.close();
    }

    std::optional<Refusal> welcome(FrameLink& link, const Greeting& greeting, std::int64_t now) {
        if (greeting.role != CallerRole::Sender && greeting.role != CallerRole::Relay)
            return Refusal{&CallerCounts::wrongGreeting,
                           "this listens for programs that send events: it is not to be watched"};
        if (connections.size() + relays.size() >= options.mostSenders)
            return Refusal{&CallerCounts::tooMany, tooManyCallers(options.mostSenders)};
        if (greeting.role == CallerRole::Relay) {
            std::erase_if(relays, [&](const Relay& each) { return each.caller == greeting.caller; });
            link.send(LiveFrame::Welcome, encode(std::uint64_t{0}));
            relays.push_back({RelayedCalls(std::move(link)), greeting.caller});
            return std::nullopt;
        }
        const auto known = senders.find(greeting.caller);
        // A caller that comes back has given up its former link, whatever the socket says.
        std::erase_if(connections,
                      [&](const SenderConnection& each) { return each.greeting.caller == greeting.caller; });
        connections.push_back({std::move(link), greeting, now});
        connections.back().link.send(LiveFrame::Welcome,
                                     encode(known == senders.end() ? std::uint64_t{0} : known->second.taken()));
        return std::nullopt;
    }

    void pass(Relay& relay, std::int64_t now) {
        const LinkState state = relay.calls.pass([&](Descriptor caller) { listener.take(std::move(caller), now); });
        listener.countEnd(state);
        relay.broken = state != LinkState::Open;
    }

    void serve(SenderConnection& from, std::int64_t now) {
        const std::uint64_t before = takenOf(from);
        const LinkState state =
            from.link.read([&](const Frame& frame) { return take(from, frame, now) && !from.broken; });
        if (!from.broken) listener.countEnd(state);
        if (!from.joined && state == LinkState::Open &&
            now - from.since > options.handshake.count() * nsPerMillisecond) {
            listener.count(&CallerCounts::slowHandshake);
            from.broken = true;
        }
        if (takenOf(from) != before) from.link.send(SenderFrame::Taken, encode(takenOf(from)));
        const bool open = from.link.flush() && state == LinkState::Open;
        from.broken = from.broken || !open;
        if (from.broken) lost(from, now);
    }

    std::uint64_t takenOf(const SenderConnection& from) const {
        const auto sender = senders.find(from.greeting.caller);
        return from.joined && sender != senders.end() ? sender->second.taken() : 0;
    }

    /// False: what nobody may say, or a connection that is refused.
    bool take(SenderConnection& from, const Frame& frame, std::int64_t now) {
        if (frame.as<LiveFrame>() == LiveFrame::Leave) {
            if (from.joined) leave(from, frame);
            from.broken = true;
            return true;
        }
        if (!from.joined) {
            const auto join = decode<SenderJoin>(frame.body);
            return frame.as<SenderFrame>() == SenderFrame::Join && join && seat(from, *join, now);
        }
        Sender& sender = senders.at(from.greeting.caller);
        if (frame.as<SenderFrame>() == SenderFrame::Name) {
            const auto name = decode<SenderName>(frame.body);
            if (name) sender.name(*name, names);
            return name.has_value();
        }
        if (frame.as<SenderFrame>() == SenderFrame::Doing) {
            const auto doing = decode<SenderDoing>(frame.body);
            if (doing) still->doing(sender.join().rank, *doing);
            return doing.has_value();
        }
        if (frame.as<SenderFrame>() != SenderFrame::Events) return false;
        const auto sent = decode<SenderEvents>(frame.body);
        if (!sent) return refuse(from, sender.join().rank, sent.error(), now);
        const std::uint64_t before = sender.before();
        if (!sender.take(*sent, events)) return false;
        if (sender.before() != before)
            observer.logged({now - origin, sender.join().rank, LogLevel::Warning,
                             fmt::format("another listener has the first {} events: this run begins in the middle",
                                         sender.before())});
        if (auto why = illegalTime(events))
            return refuse(from, sender.join().rank, {"damaged events", "", *why, legalTimes}, now);
        if (events.empty()) return true;
        if (fit)
            for (const Event& event : events)
                if (const auto why = fit->misfitOf(event)) return misfits(from, why->english());
        still->recorded(sender.join().rank, now);
        for (const Event& event : events)
            if (std::string place = placeOf(event); !place.empty()) seatOf(from).last = std::move(place);
        observer.eventsArrived(events);
        return true;
    }

    void leave(const SenderConnection& from, const Frame& frame) {
        Seat& seat = seatOf(from);
        seat.left = true;
        const auto why = frame.body.empty() ? Result<std::string>(std::string()) : decode<std::string>(frame.body);
        if (why) seat.failure = *why;
    }

    /// The program is not the expected one: what else it sends is of no use, and the run is over.
    bool misfits(SenderConnection& from, const std::string& why) {
        from.link.send(LiveFrame::Refusal, encode(why));
        from.broken = true;
        if (seats.empty()) {
            const std::lock_guard lock(guard);
            misfit = why;
            over = true;
        } else {
            observer.logged({monotonicNanoseconds() - origin, -1, LogLevel::Error, why});
            failure = why;
        }
        return false;
    }

    /// Says to the sender and in the run's log why its events are not taken.
    bool refuse(SenderConnection& from, int rank, const Error& why, std::int64_t now) {
        from.link.send(LiveFrame::Refusal, encode(why.text()));
        observer.logged({now - origin, rank, LogLevel::Error, "what it sent was refused: " + why.text()});
        return false;
    }

    bool seat(SenderConnection& from, const SenderJoin& join, std::int64_t now) {
        const auto refuse = [&](const std::string& why) {
            listener.count(&CallerCounts::wrongGreeting);
            from.link.send(LiveFrame::Refusal, encode(why));
            from.broken = true;
            return false;
        };
        if (join.world < 1 || join.world > mostSenders)
            return refuse(fmt::format("{} ranks are not possible, 1 to {} are", join.world, mostSenders));
        if (join.rank < 0 || join.rank >= join.world)
            return refuse(fmt::format("rank {} of {} is not possible", join.rank, join.world));
        if (fit)
            if (const auto why = fit->misfitOf(join.world)) return misfits(from, why->english());
        if (!seats.empty() && seats.size() != static_cast<std::size_t>(join.world))
            return refuse(fmt::format("the run has {} ranks, not {}", seats.size(), join.world));
        // A host has one monotonic clock; of another's it is known what it shows at about this time.
        const std::int64_t ahead = !clock.empty() && join.clock == clock ? 0 : now - join.now;
        if (seats.empty()) begin(from.greeting.program, join.world, std::min(now, join.started + ahead));
        Seat& seat = seats[static_cast<std::size_t>(join.rank)];
        if (seat.connected && seat.caller != from.greeting.caller)
            return refuse(fmt::format("rank {} is connected already", join.rank));
        senders.try_emplace(from.greeting.caller, join, ahead - origin);
        seat.caller = from.greeting.caller;
        seat.connected = true;
        seat.left = false;
        still->joined(join.rank);
        seat.failure.clear();
        seat.record = {join.rank, join.host, join.pid, fit ? fit->label(join.rank) : join.host, ""};
        from.joined = true;
        observer.rankChanged(seat.record);
        return true;
    }

    void begin(const std::string& program, int world, std::int64_t at) {
        origin = at;
        observer.begun(headerFor(program, world, options.expected));
        if (options.expected) observer.predictedArrived(options.expected->predicted);
        seats.resize(static_cast<std::size_t>(world));
        still.emplace(world, options.silence.count() * nsPerMillisecond);
        observer.statusChanged({WatchStatus::State::Live, 1, {}});
    }

    Seat& seatOf(const SenderConnection& from) {
        return *std::ranges::find(seats, from.greeting.caller, &Seat::caller);
    }

    void lost(const SenderConnection& from, std::int64_t now) {
        if (!from.joined) return;
        Seat& seat = seatOf(from);
        seat.connected = false;
        still->left(seat.record.rank);
        seat.lostAt = now;
        const std::string after = seat.last.empty() ? "" : " after " + seat.last;
        seat.record.end = !seat.left             ? "its connection was lost" + after
                          : seat.failure.empty() ? "finished"
                                                 : seat.failure;
        observer.rankChanged(seat.record);
        if (!seat.left)
            observer.logged({now - origin, seat.record.rank, LogLevel::Warning, "the connection was lost" + after});
        else if (!seat.failure.empty())
            observer.logged({now - origin, seat.record.rank, LogLevel::Error, seat.failure});
    }

    /// Every rank was there, and none is or may come back: the run is over.
    void judge(std::int64_t now) {
        const auto gone = [&](const Seat& seat) {
            const bool forGood = seat.left || now - seat.lostAt > options.returnWithin.count() * nsPerMillisecond;
            return seat.caller != 0 && !seat.connected && forGood;
        };
        if (seats.empty()) return;
        if (!failure.empty()) return end({"failed", failure});
        if (!std::ranges::all_of(seats, gone)) return sayWhoHangs(now);
        // The first to be lost took the others along, and one that went without a word those that say why they end.
        const Seat* first = nullptr;
        for (const Seat& seat : seats)
            if ((!seat.left || !seat.failure.empty()) &&
                (first == nullptr || std::tuple(seat.left, seat.lostAt) < std::tuple(first->left, first->lostAt)))
                first = &seat;
        if (first == nullptr) return end({"finished", ""});
        const RankRecord& record = first->record;
        if (first->left) return end({"failed", fmt::format("rank {} {}", record.rank, first->failure)});
        end({"failed", fmt::format("the connection of rank {} was lost{}", record.rank,
                                   first->last.empty() ? std::string() : " after " + first->last)});
    }

    void sayWhoHangs(std::int64_t now) {
        if (const auto verdict = still->judge(now))
            observer.logged({now - origin, verdict->rank, LogLevel::Error, verdict->text});
    }

    void end(const RunEnd& how) {
        over = true;
        if (const CallerCounts counts = listener.counts(); counts.refused() > 0)
            observer.logged({monotonicNanoseconds() - origin, -1, LogLevel::Warning, "refused: " + counts.refusals()});
        observer.ended(how);
        observer.statusChanged({WatchStatus::State::Ended, 1, {}});
    }

    const ListenOptions options;
    const TcpAddress address;
    WatchObserver& observer;
    Listener<Greeting> listener;
    NameTable names;
    const std::string clock = bootId();
    std::int64_t origin = 0;  ///< monotonicNanoseconds() at the run's 0
    std::list<SenderConnection> connections;
    std::list<Relay> relays;
    std::map<std::uint64_t, Sender> senders;  ///< by caller, also those that are gone
    std::vector<Seat> seats;                  ///< by rank; empty until the run has begun
    std::vector<Event> events;
    std::optional<LayoutFit> fit;    ///< none: the program has no layout
    std::optional<Stillness> still;  ///< once the run has begun
    std::string failure;             ///< why the run has to end
    bool over = false;

    mutable std::mutex guard;
    std::optional<std::string> misfit;  ///< under `guard`

    WakeUp wake;
    std::atomic<bool> stopping{false};
    std::thread thread;
};

LiveListener::LiveListener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LiveListener::~LiveListener() = default;

Result<std::unique_ptr<LiveListener>> LiveListener::listen(const ListenOptions& options, WatchObserver& observer) {
    auto listener = listenTcp(options.address);
    if (!listener) return fail(listener.error());
    auto impl = std::make_unique<Impl>(options, observer, std::move(*listener));
    impl->thread = std::thread([&loop = *impl] { loop.loop(); });
    return std::make_unique<LiveListener>(std::move(impl));
}

const TcpAddress& LiveListener::address() const { return impl_->address; }

CallerCounts LiveListener::counts() const { return impl_->listener.counts(); }

std::optional<std::string> LiveListener::misfit() const {
    const std::lock_guard lock(impl_->guard);
    return impl_->misfit;
}

}  // namespace shardlab::launch
