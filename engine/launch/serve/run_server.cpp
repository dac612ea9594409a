// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/run_server.h"

#include "engine/base/clock.h"
#include "engine/launch/serve/viewer.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <fmt/format.h>
#include <list>
#include <map>
#include <mutex>
#include <poll.h>
#include <thread>

namespace shardlab::launch {
namespace {

constexpr int servePoll = 50;  ///< so late at most new rows, a slow handshake and a stalled viewer are noticed
constexpr std::size_t mostNotices = 64;
/// After the end of the run, viewers whose link was lost shortly before are waited for.
constexpr std::int64_t returnWithin = 5'000 * nsPerMillisecond;

}  // namespace

std::string ServeCounts::text() const {
    const std::int64_t viewers = welcomed - resumed;
    std::string text = fmt::format("{} viewer{}", viewers, viewers == 1 ? "" : "s");
    if (resumed > 0) text += fmt::format(", {} back after a lost connection", resumed);
    if (stalled > 0) text += fmt::format(", {} dropped that took nothing any more", stalled);
    if (refused() > 0) text += "; refused: " + refusals();
    return text;
}

struct RunServer::Impl {
    Impl(const ServeOptions& given, Descriptor socket)
        : options(given), address(boundAddress(socket, given.address)),
          listener(std::move(socket), {given.pass.secret, FrameType(LiveFrame::Greeting), FrameType(LiveFrame::Refusal),
                                       given.handshake, given.pass.security}) {}
    ~Impl() {
        order([this] { stopping = true; });
        if (thread.joinable()) thread.join();
    }

    template <class Change>
    void order(Change change) {
        const std::lock_guard lock(mutex);
        change();
        wake.ring();
    }

    // --- the thread ---

    void loop() {
        while (takeOrders()) {
            std::vector<pollfd> watched{{wake.descriptor(), POLLIN, 0}};
            listener.watch(watched);
            for (const Viewer& viewer : viewers) watched.push_back(viewer.link().awaited());
            ::poll(watched.data(), watched.size(), busy ? 0 : servePoll);
            wake.clear();
            const std::int64_t now = monotonicNanoseconds();
            listener.attend(now,
                            [&](FrameLink& link, const Greeting& greeting) { return welcome(link, greeting, now); });
            busy = false;
            for (Viewer& viewer : viewers) serve(viewer, now);
            std::erase_if(viewers, [&](const Viewer& viewer) { return dropped(viewer, now); });
            publish(now);
        }
        viewers.clear();
        listener.close();
        run.reset();
    }

    /// False: it is over.
    bool takeOrders() {
        const std::lock_guard lock(mutex);
        ending = ended;
        if (!reading) run.reset();
        else if (!run && !failure) open();
        isReading = reading;
        changed.notify_all();
        return !stopping;
    }

    void open() {
        auto opened = RunFollower::open(file);
        if (opened) run.emplace(std::move(*opened));
        else failure = opened.error();
    }

    std::optional<Refusal> welcome(FrameLink& link, const Greeting& greeting, std::int64_t now) {
        if (greeting.role != CallerRole::Viewer)
            return Refusal{&CallerCounts::wrongGreeting,
                           "this is a run to watch: it takes no events of other programs"};
        if (viewers.size() >= options.mostViewers)
            return Refusal{&CallerCounts::tooMany, tooManyCallers(options.mostViewers)};
        const std::uint64_t caller = greeting.caller;
        lost.erase(caller);
        // One that comes back has given up its former link, whatever the socket says.
        std::erase_if(viewers, [&](const Viewer& viewer) { return viewer.caller() == caller; });
        const auto told = std::ranges::find(notices, caller, &std::pair<std::uint64_t, std::string>::first);
        const auto newest = run ? run->newestBlock() : Result<std::int64_t>(0);
        viewers.emplace_back(std::move(link), caller, now, newest ? *newest : 0,
                             told == notices.end() ? std::string() : told->second);
        if (told != notices.end()) notices.erase(told);
        return std::nullopt;
    }

    void serve(Viewer& viewer, std::int64_t now) {
        const bool waited = viewer.state() == Viewer::State::Awaiting;
        if (viewer.listen() == Viewer::State::Following) {
            if (waited && viewer.resumed()) ++counts.resumed;
            if (run) feed(viewer, now);
            else if (failure) viewer.sendRefusal(failure->text());
        }
        viewer.flush(now);
    }

    void feed(Viewer& viewer, std::int64_t now) {
        const auto more = viewer.feed(*run, now);
        if (!more) return viewer.sendRefusal(more.error().text());
        busy = busy || *more;
        if (ending && viewer.upToDate()) viewer.sendEnd(*ending);
    }

    /// Whether the viewer is to be forgotten; says and counts why.
    bool dropped(const Viewer& viewer, std::int64_t now) {
        switch (viewer.state()) {
        case Viewer::State::Lost: lost[viewer.caller()] = now; return true;
        case Viewer::State::Left:
        case Viewer::State::Refused: return true;
        case Viewer::State::Complete: ++counts.complete; return true;
        case Viewer::State::Misbehaved: listener.countEnd(viewer.linkState()); return true;
        case Viewer::State::Awaiting:
            if (now - viewer.since() <= options.handshake.count() * nsPerMillisecond) return false;
            listener.count(&CallerCounts::slowHandshake);
            return true;
        case Viewer::State::Following: break;
        }
        const std::chrono::milliseconds limit = ending ? options.lastStallLimit : options.stallLimit;
        if (!viewer.stalled(now, limit)) return false;
        ++counts.stalled;
        notices.emplace_back(viewer.caller(),
                             fmt::format("the last connection was closed because nothing was taken for {} s",
                                         static_cast<double>(limit.count()) / 1000));
        if (notices.size() > mostNotices) notices.pop_front();
        return true;
    }

    void publish(std::int64_t now) {
        std::erase_if(lost, [&](const auto& each) { return now - each.second > returnWithin; });
        const std::lock_guard lock(mutex);
        static_cast<CallerCounts&>(counts) = listener.counts();
        published = counts;
        allServed = ending && viewers.empty() && lost.empty();
        changed.notify_all();
    }

    const ServeOptions options;
    const TcpAddress address;
    Listener<Greeting> listener;
    std::optional<RunFollower> run;
    std::optional<Error> failure;  ///< why the file cannot be read
    std::optional<RunEnd> ending;
    std::list<Viewer> viewers;
    std::deque<std::pair<std::uint64_t, std::string>> notices;  ///< by caller
    std::map<std::uint64_t, std::int64_t> lost;                 ///< callers whose link broke, and when
    ServeCounts counts;
    bool busy = false;  ///< some viewer has room for more

    WakeUp wake;
    std::mutex mutex;  ///< guards what follows
    std::condition_variable changed;
    std::filesystem::path file;
    bool reading = false;    ///< as ordered
    bool isReading = false;  ///< as it is
    bool stopping = false;
    std::optional<RunEnd> ended;
    ServeCounts published;
    bool allServed = false;

    std::thread thread;
};

RunServer::RunServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunServer::~RunServer() = default;

Result<std::unique_ptr<RunServer>> RunServer::listen(const ServeOptions& options) {
    auto listener = listenTcp(options.address);
    if (!listener) return fail(listener.error());
    auto impl = std::make_unique<Impl>(options, std::move(*listener));
    impl->thread = std::thread([&loop = *impl] { loop.loop(); });
    return std::make_unique<RunServer>(std::move(impl));
}

const TcpAddress& RunServer::address() const { return impl_->address; }

void RunServer::serve(const std::filesystem::path& file) {
    impl_->order([&] {
        impl_->file = file;
        impl_->reading = true;
    });
}

void RunServer::release() {
    impl_->order([&] { impl_->reading = false; });
    std::unique_lock lock(impl_->mutex);
    impl_->changed.wait(lock, [&] { return !impl_->isReading; });
}

void RunServer::conclude(const RunEnd& end, const std::atomic<bool>& cancelled) {
    impl_->order([&] {
        impl_->ended = end;
        impl_->reading = !impl_->file.empty();
    });
    const auto until = std::chrono::steady_clock::now() + impl_->options.lingerLimit;
    {
        std::unique_lock lock(impl_->mutex);
        while (!impl_->allServed && !cancelled && std::chrono::steady_clock::now() < until)
            impl_->changed.wait_for(lock, std::chrono::milliseconds(servePoll));
    }
    impl_->order([&] { impl_->stopping = true; });
    if (impl_->thread.joinable()) impl_->thread.join();
}

ServeCounts RunServer::counts() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->published;
}

}  // namespace shardlab::launch
