// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/run_watch.h"

#include "engine/base/clock.h"
#include "engine/launch/link/listener.h"
#include "engine/launch/serve/row_frames.h"
#include "engine/trace/run_file/row_fields.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <poll.h>
#include <random>
#include <thread>
#include <utility>

namespace shardlab::launch {
namespace {

constexpr int firstRetry = 250;  ///< milliseconds; doubled at each further try
constexpr int longestRetry = 4000;
constexpr int watchPoll = 200;

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
        if (!socket) return lose(socket.error().told());
        link.emplace(std::move(*socket), options.pass.security ? options.pass.security->transport() : nullptr);
        link->send(LiveFrame::Greeting, encode(Greeting{liveProtocol, CallerRole::Viewer, caller,
                                                        "shardlab " SHARDLAB_VERSION, options.pass.secret}));
        heardAt = monotonicNanoseconds();
        while (!stopping && link && !status.over()) receive();
        if (stopping && link) {
            link->send(LiveFrame::Leave, {});
            static_cast<void>(link->flush());
        }
        link.reset();
    }

    void receive() {
        if (!link->flush()) return gone(say("the connection broke"));
        std::array<pollfd, 2> watched{link->awaited(), pollfd{wake.descriptor(), POLLIN, 0}};
        const int ready = ::poll(watched.data(), watched.size(), watchPoll);
        const std::int64_t now = monotonicNanoseconds();
        if (ready == 0) {
            observer.paused();
            if (now - heardAt > options.silence.count() * nsPerMillisecond) lose(say("nothing was heard any more"));
            return;
        }
        if ((watched[0].revents & ~POLLOUT) == 0) return;
        const auto count = link->receive();
        if (count && *count > 0) heardAt = now;
        const LinkState state = link->takeFrames([this](const Frame& frame) { return take(frame); });
        if (refusal) return lose(*std::exchange(refusal, std::nullopt));
        if (status.over()) return;
        if (decoder.error()) return failed(decoder.error()->told());
        if (state != LinkState::Open) return lose(say("what arrived was damaged"));
        if (!count) gone(say("the connection was closed"));
    }

    /// The other side takes and says nothing more. Where it is not the one that the token names, no further try changes
    /// that.
    void gone(const Sentence& why) {
        const Transport* const transport = link->transport();
        if (transport && !transport->fault().empty()) return failed(transport->fault());
        const bool silent = transport && !transport->established();
        lose(silent ? say("{} before it was encrypted: what listens there may not speak TLS", why) : why);
    }

    /// False: nothing more is taken, because the frame is damaged, a refusal, or the last one.
    bool take(const Frame& frame) {
        switch (frame.as<LiveFrame>()) {
        case LiveFrame::Refusal: {
            const auto reason = decode<std::string>(frame.body);
            const Sentence why = say("refused: {}", reason ? Sentence(*reason) : say("no reason was given"));
            if (reason && *reason == wrongToken) failed(why);
            else refusal = why;
            return false;
        }
        case LiveFrame::Welcome: {
            const auto welcome = decode<ViewerWelcome>(frame.body);
            if (!welcome || welcomed) return false;
            welcomed = everWelcomed = true;
            lostSince.reset();
            link->send(LiveFrame::From, encode(position));
            newest = welcome->newest;
            report({WatchStatus::State::CatchingUp, share(), welcome->notice});
            return true;
        }
        case LiveFrame::Progress: {
            const auto progress = decode<Progress>(frame.body);
            if (!progress) return false;
            newest = progress->newest;
            observer.paused();
            report({progress->complete ? WatchStatus::State::Live : WatchStatus::State::CatchingUp, share(),
                    status.reason});
            return true;
        }
        case LiveFrame::End: {
            const auto end = decode<RunEnd>(frame.body);
            if (!end) return false;
            observer.ended(decoder.end() ? *decoder.end() : *end);
            report({WatchStatus::State::Ended, 1, {}});
            return false;
        }
        default: return welcomed && takeRow(frame, position, decoder);
        }
    }

    double share() const {
        const std::int64_t have =
            std::max(position.lastBlock(EventSource::Measured), position.lastBlock(EventSource::Predicted));
        return newest > 0 ? std::min(1.0, static_cast<double>(have) / static_cast<double>(newest)) : 0;
    }

    /// The connection is over. Where there never was one, so is the watch.
    void lose(const Sentence& why) {
        link.reset();
        observer.paused();
        if (!everWelcomed) return failed(why);
        const std::int64_t now = monotonicNanoseconds();
        if (!lostSince) lostSince = now;
        if (options.giveUpAfter.count() > 0 && now - *lostSince > options.giveUpAfter.count() * nsPerMillisecond)
            return failed(say("{}; given up", why));
        report({WatchStatus::State::Lost, share(), why});
    }

    void failed(const Sentence& why) { report({WatchStatus::State::Failed, share(), why}); }

    void report(WatchStatus next) {
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
    bool welcomed = false;            ///< over this connection
    std::optional<Sentence> refusal;  ///< why the other side has ended this connection
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

}  // namespace shardlab::launch
