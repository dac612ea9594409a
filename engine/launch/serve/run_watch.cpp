// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/run_watch.h"

#include "engine/base/clock.h"
#include "engine/launch/serve/row_frames.h"
#include "engine/base/nanoseconds.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <poll.h>
#include <random>
#include <thread>

namespace shardlab {
namespace {

constexpr int firstRetry = 250;  ///< nsPerMillisecond; doubled at each further try
constexpr int longestRetry = 4000;
constexpr int watchPoll = 200;
constexpr std::string_view wrongToken = "wrong token";  ///< a refusal that no further try can change

std::uint64_t randomNumber() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

}  // namespace

struct RunWatch::Impl {
    Impl(WatchOptions given, WatchObserver& watcher) : options(std::move(given)), observer(watcher), decoder(watcher) {
        thread = std::thread([this] { loop(); });
    }
    ~Impl() {
        stopping = true;
        wake.ring();
        thread.join();
    }

    void loop() {
        int retry = firstRetry;
        while (!stopping && !status.over()) {
            welcomed = false;
            follow();
            if (stopping || status.over()) return;
            if (welcomed) retry = firstRetry;
            pollfd waiting{wake.descriptor(), POLLIN, 0};
            ::poll(&waiting, 1, retry);
            retry = std::min(2 * retry, longestRetry);
        }
    }

    /// One connection, from its beginning to its end.
    void follow() {
        auto socket = connectTcp(options.address, options.connectPatience, wake);
        if (stopping) return;
        if (!socket) return lose(socket.error().text());
        link.emplace(std::move(*socket));
        link->send(frameType(LiveFrame::Greeting), encode(Greeting{liveProtocol, CallerRole::Viewer, caller,
                                                                   "shardlab " SHARDLAB_VERSION, options.token}));
        heardAt = monotonicNanoseconds();
        while (!stopping && link && !status.over()) receive();
        if (stopping && link) {
            link->send(frameType(LiveFrame::Leave), {});
            static_cast<void>(link->flush());
        }
        link.reset();
    }

    void receive() {
        if (!link->flush()) return lose("the connection broke");
        const short wanted = static_cast<short>(POLLIN | (link->queued() > 0 ? POLLOUT : 0));
        std::array<pollfd, 2> watched{pollfd{link->descriptor(), wanted, 0}, pollfd{wake.descriptor(), POLLIN, 0}};
        const int ready = ::poll(watched.data(), watched.size(), watchPoll);
        const std::int64_t now = monotonicNanoseconds();
        if (ready == 0) {
            observer.paused();
            if (now - heardAt > options.silence.count() * nsPerMillisecond) lose("nothing was heard any more");
            return;
        }
        if ((watched[0].revents & ~POLLOUT) == 0) return;
        const auto count = link->receive();
        if (count && *count > 0) heardAt = now;
        Frame frame;
        FrameParser::Outcome outcome{};
        while (link && !status.over() && (outcome = link->parser().next(frame)) == FrameParser::Outcome::Frame)
            take(frame);
        if (!link || status.over()) return;
        if (decoder.error()) return failed(decoder.error()->text());
        if (outcome != FrameParser::Outcome::NeedMore) return lose("what arrived was damaged");
        if (!count) lose("the connection was closed");
    }

    void take(const Frame& frame) {
        switch (static_cast<LiveFrame>(frame.type)) {
        case LiveFrame::Refusal: {
            const auto reason = decodeText(frame.body);
            const std::string why = "refused: " + (reason ? *reason : std::string("no reason was given"));
            return reason && *reason == wrongToken ? failed(why) : lose(why);
        }
        case LiveFrame::Welcome: {
            const auto welcome = decodeViewerWelcome(frame.body);
            if (!welcome || welcomed) return lose("what arrived was damaged");
            welcomed = everWelcomed = true;
            lostSince.reset();
            link->send(frameType(LiveFrame::From), encode(position));
            newest = welcome->newest;
            return say({WatchStatus::State::CatchingUp, share(), welcome->notice});
        }
        case LiveFrame::Progress: {
            const auto progress = decodeProgress(frame.body);
            if (!progress) return lose("what arrived was damaged");
            newest = progress->newest;
            observer.paused();
            return say({progress->complete ? WatchStatus::State::Live : WatchStatus::State::CatchingUp, share(),
                        status.reason});
        }
        case LiveFrame::End: {
            const auto end = decodeEnd(frame.body);
            if (!end) return lose("what arrived was damaged");
            observer.ended(decoder.end() ? *decoder.end() : *end);
            return say({WatchStatus::State::Ended, 1, {}});
        }
        default:
            if (!welcomed || !takeRow(frame, position, decoder)) return lose("what arrived was damaged");
        }
    }

    double share() const {
        const std::int64_t have =
            std::max(position.lastBlock(EventSource::Measured), position.lastBlock(EventSource::Predicted));
        return newest > 0 ? std::min(1.0, static_cast<double>(have) / static_cast<double>(newest)) : 0;
    }

    /// The connection is over. Where there never was one, so is the watch.
    void lose(const std::string& why) {
        link.reset();
        observer.paused();
        if (!everWelcomed) return failed(why);
        const std::int64_t now = monotonicNanoseconds();
        if (!lostSince) lostSince = now;
        if (options.giveUpAfter.count() > 0 && now - *lostSince > options.giveUpAfter.count() * nsPerMillisecond)
            return failed(why + "; given up");
        say({WatchStatus::State::Lost, share(), why});
    }

    void failed(const std::string& why) { say({WatchStatus::State::Failed, share(), why}); }

    void say(WatchStatus next) {
        if (next == status) return;
        status = std::move(next);
        observer.statusChanged(status);
    }

    const WatchOptions options;
    WatchObserver& observer;
    RowDecoder decoder;
    RunPosition position;
    const std::uint64_t caller = randomNumber();
    WatchStatus status;
    std::optional<FrameLink> link;
    bool welcomed = false;  ///< over this connection
    bool everWelcomed = false;
    std::int64_t newest = 0;
    std::int64_t heardAt = 0;
    std::optional<std::int64_t> lostSince;

    WakeUp wake;
    std::atomic<bool> stopping{false};
    std::thread thread;
};

RunWatch::RunWatch(WatchOptions options, WatchObserver& observer)
    : impl_(std::make_unique<Impl>(std::move(options), observer)) {}
RunWatch::~RunWatch() = default;

}  // namespace shardlab
