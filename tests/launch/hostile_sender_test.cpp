// SPDX-License-Identifier: Apache-2.0
// Somebody who has the token of a run that listens, and means harm: whatever he sends, the listener goes on, takes no
// memory without end, and keeps what honest programs send.
#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/launch/serve/live_frames.h"
#include "engine/launch/serve/live_listener.h"
#include "engine/launch/serve/run_copy.h"
#include "engine/launch/serve/sender_frames.h"
#include "engine/trace/record/frame_link.h"
#include "engine/trace/run_file/run_file.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <poll.h>
#include <sstream>

using namespace shardlab::test;
using namespace std::chrono_literals;

namespace {

const std::string token = "a token that is long enough";

std::int64_t memoryHeld() {
    std::istringstream words(readFile("/proc/self/statm").value_or(""));
    std::int64_t all = 0, resident = 0;
    words >> all >> resident;
    return resident * 4096;
}

/// A connection that has shown the token and was let in.
class Connection {
public:
    Connection(const TcpAddress& address, std::uint64_t number) : link_(std::move(*connectTcp(address, 5s, WakeUp()))) {
        link_.send(LiveFrame::Greeting, encode(Greeting{liveProtocol, CallerRole::Sender, number, "train.py", token}));
    }
    void join(int rank, int world) {
        const std::int64_t now = monotonicNanoseconds();
        link_.send(SenderFrame::Join, encode(SenderJoin{rank, world, 1, now, now, "", "far"}));
    }
    FrameLink& link() { return link_; }
    /// Sends all that is queued, and reads what is said. False: the other side has closed.
    bool push() {
        while (link_.queued() > 0) {
            if (!link_.flush()) return false;
            pollfd waiting{link_.descriptor(), static_cast<short>(POLLIN | POLLOUT), 0};
            ::poll(&waiting, 1, 20);
            if ((waiting.revents & POLLIN) != 0 && !link_.receive()) return false;
            Frame frame;
            while (link_.parser().next(frame) == FrameParser::Outcome::Frame) {}
        }
        return true;
    }
    /// Waits until the other side has closed.
    bool closes() {
        for (int i = 0; i < 3000; ++i) {
            pollfd waiting{link_.descriptor(), POLLIN, 0};
            ::poll(&waiting, 1, 20);
            if (!link_.receive()) return true;
            Frame frame;
            while (link_.parser().next(frame) == FrameParser::Outcome::Frame) {}
        }
        return false;
    }

private:
    FrameLink link_;
};

}  // namespace

class HostileSenderTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;

    static std::unique_ptr<LiveListener> listen(WatchObserver& observer) {
        ListenOptions options;
        options.pass = plainPass(token);
        auto made = LiveListener::listen(options, observer);
        return made ? std::move(*made) : nullptr;
    }
    static SenderEvents forward(std::uint64_t first) {
        SenderEvent event;
        event.begin = monotonicNanoseconds();
        event.end = event.begin + 1000;
        event.step = 0;
        event.kind = EventKind::Forward;
        event.stage = 0;
        event.microbatch = 0;
        event.lane = Lane::Compute;
        return {first, 0, {event}};
    }

private Q_SLOTS:
    void anyFramesBesideAnHonestProgram() {
        const std::uint32_t seed = freshSeed();
        RandomEvents random(seed);
        const std::filesystem::path file = folder_.filePath("run.shardlab").toStdString();
        RunCopy run(file);
        auto listener = listen(run);
        QVERIFY(listener);
        Connection honest(listener->address(), 1);
        honest.join(0, 2);
        honest.link().send(SenderFrame::Events, encode(forward(0)));
        QVERIFY(honest.push());
        for (std::uint64_t round = 0; round < 60; ++round) {
            Connection hostile(listener->address(), 100 + round);
            if (random.below(8) != 0)
                hostile.join(static_cast<int>(random.below(3)), static_cast<int>(1 + random.below(3)));
            for (std::int64_t frames = random.below(20); frames > 0; --frames) sendAny(hostile.link(), random);
            hostile.push();
            // The honest one goes on, whatever became of the other.
            honest.link().send(SenderFrame::Events, encode(forward(round + 1)));
            QVERIFY2(honest.push(), qPrintable(QString("seed %1, round %2").arg(seed).arg(round)));
        }
        QTest::qWait(2000);  // until all of it has been taken
        listener.reset();
        const auto read = RunReader::open(file);
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY2(!(*read)->damage(), qPrintable(QString("seed %1").arg(seed)));
        std::int64_t kept = 0;
        QVERIFY((*read)->readEvents([&](std::span<const Event> events) {
            kept += std::ranges::count_if(events, [](const Event& event) {
                return event.rank == 0 && event.kind == EventKind::Forward && event.end - event.begin == 1000;
            });
            return true;
        }));
        QCOMPARE(kept, std::int64_t{61});
    }

    /// Half a gigabyte of names, and as many numbers of one, take what a run's names may.
    void namesWithoutEnd() {
        RunCopy run(folder_.filePath("names.shardlab").toStdString());
        auto listener = listen(run);
        QVERIFY(listener);
        Connection hostile(listener->address(), 1);
        hostile.join(0, 1);
        QVERIFY(hostile.push());
        const std::int64_t before = memoryHeld();
        std::int64_t most = before;
        for (std::uint32_t number = 1; number <= 500; ++number) {
            hostile.link().send(SenderFrame::Name,
                                encode(SenderName{number, std::to_string(number) + std::string(1'000'000, 'x')}));
            if (!hostile.push()) break;
            most = std::max(most, memoryHeld());
        }
        for (std::uint32_t number = 1000; number < 1'000'000; ++number) {
            hostile.link().send(SenderFrame::Name, encode(SenderName{number, "one"}));
            if (number % 1000 == 0 && !hostile.push()) break;
            if (number % 50'000 == 0) most = std::max(most, memoryHeld());
        }
        QVERIFY2(most - before < std::int64_t{200} << 20, qPrintable(QString::number(most - before)));
        // Whoever uses a number that was not kept is turned away.
        SenderEvents last = forward(0);
        last.events.front().name = 999'999;
        hostile.link().send(SenderFrame::Events, encode(last));
        static_cast<void>(hostile.push());
        QVERIFY(hostile.closes());
    }

private:
    static void sendAny(FrameLink& link, RandomEvents& random) {
        Bytes noise(static_cast<std::size_t>(random.below(300)));
        for (std::byte& each : noise) each = static_cast<std::byte>(random.below(256));
        const std::string text(reinterpret_cast<const char*>(noise.data()), noise.size());
        switch (random.below(6)) {
        case 0: return link.send(static_cast<SenderFrame>(random.below(256)), noise);
        case 1:
            return link.send(SenderFrame::Name,
                             encode(SenderName{static_cast<std::uint32_t>(1 + random.below(1 << 20)), text}));
        case 2:
            return link.send(SenderFrame::Join,
                             encode(SenderJoin{static_cast<int>(random.below(70'000)) - 10,
                                               static_cast<int>(random.below(70'000)), 1, 1, 1, text, text}));
        case 3: return link.sendRaw(noise);
        default: {
            SenderEvents events = forward(static_cast<std::uint64_t>(random.below(3)));
            SenderEvent& event = events.events.front();
            if (random.below(2) == 0) event.kind = static_cast<EventKind>(random.below(256));
            if (random.below(2) == 0) event.step = static_cast<std::int32_t>(random.below(std::int64_t{1} << 32));
            if (random.below(4) == 0) event.end += random.below(std::int64_t{1} << 59);
            if (random.below(4) == 0) event.bytes = random.below(std::int64_t{1} << 62);
            if (random.below(4) == 0) event.value = std::numeric_limits<double>::quiet_NaN();
            if (random.below(4) == 0) events.dropped = static_cast<std::uint64_t>(random.below(std::int64_t{1} << 62));
            return link.send(SenderFrame::Events, encode(events));
        }
        }
    }
};

QTEST_GUILESS_MAIN(HostileSenderTest)
#include "hostile_sender_test.moc"
