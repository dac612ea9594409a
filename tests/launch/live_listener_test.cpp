// SPDX-License-Identifier: Apache-2.0
// What other programs send becomes a run: each event once, whatever the connections do; drops counted; nonsense
// refused.
#include "engine/launch/serve/live_listener.h"

#include "engine/base/clock.h"
#include "engine/trace/run_file/run_file.h"
#include "engine/launch/serve/live_frames.h"
#include "engine/launch/serve/run_copy.h"
#include "engine/launch/serve/sender_frames.h"
#include "engine/launch/serve/stillness.h"
#include "engine/layout/layout_file.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <poll.h>

using namespace shardlab::test;
using namespace std::chrono_literals;

namespace {

class Recording final : public RunCopy {
public:
    using RunCopy::RunCopy;
    void statusChanged(const WatchStatus& status) override { over = over || status.over(); }
    std::atomic<bool> over{false};
};

SenderEvent spanOf(EventKind kind, int stage, int microbatch, std::int64_t begin, std::int64_t end, int step,
                   std::uint32_t name = 0) {
    SenderEvent event;
    event.begin = begin;
    event.end = end;
    event.step = step;
    event.kind = kind;
    event.stage = stage;
    event.microbatch = microbatch;
    event.name = name;
    event.lane = kind == EventKind::Annotation || kind == EventKind::Step ? Lane::Host : Lane::Compute;
    return event;
}

/// One connection of a sender, blocking where a test may.
class Caller {
public:
    Caller(const TcpAddress& address, std::uint64_t number, const std::string& token)
        : link_(std::move(*connectTcp(address, 5s, WakeUp()))) {
        link_.send(LiveFrame::Greeting, encode(Greeting{liveProtocol, CallerRole::Sender, number, "train.py", token}));
    }
    void join(int rank, int world) {
        const std::int64_t now = monotonicNanoseconds();
        send(SenderFrame::Join, encode(SenderJoin{rank, world, 4711, now, now, "", "far"}));
    }
    void send(SenderFrame type, const Bytes& body) {
        link_.send(type, body);
        flush();
    }
    void leave() {
        link_.send(LiveFrame::Leave, {});
        flush();
    }
    /// The next frame's type, and its number where it has one; 0: the connection is closed.
    int hear(std::uint64_t* number = nullptr) {
        const std::int64_t until = monotonicNanoseconds() + 10'000'000'000;
        flush();
        while (monotonicNanoseconds() < until) {
            Frame frame;
            if (link_.parser().next(frame) == FrameParser::Outcome::Frame) {
                ByteReader reader(frame.body);
                if (number) *number = reader.fixed<std::uint64_t>();
                return static_cast<int>(frame.type);
            }
            pollfd waiting{link_.descriptor(), POLLIN, 0};
            ::poll(&waiting, 1, 100);
            if (!link_.receive() && link_.parser().next(frame) != FrameParser::Outcome::Frame) return 0;
        }
        return -1;
    }

private:
    void flush() { static_cast<void>(link_.flush()); }
    FrameLink link_;
};

constexpr int welcomeType = static_cast<int>(LiveFrame::Welcome);
constexpr int refusalType = static_cast<int>(LiveFrame::Refusal);
constexpr int takenType = static_cast<int>(SenderFrame::Taken);

}  // namespace

class LiveListenerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        file_ = folder_->filePath("live.shardlab").toStdString();
    }

    void whatIsSentIsARun() {
        Recording run(file_);
        auto listener = listen(run);
        QVERIFY(listener);
        std::int64_t begin = monotonicNanoseconds();
        std::vector<std::unique_ptr<Caller>> ranks;
        for (int rank = 0; rank < 2; ++rank) {
            ranks.push_back(
                std::make_unique<Caller>(listener->address(), 10 + static_cast<std::uint64_t>(rank), token));
            QCOMPARE(ranks.back()->hear(), welcomeType);
            ranks.back()->join(rank, 2);
            ranks.back()->send(SenderFrame::Name, encode(SenderName{1, rank == 0 ? "all_reduce" : "load batch"}));
            SenderEvents sent;
            sent.events.push_back(spanOf(EventKind::Forward, rank, 3, begin + 1000, begin + 2000, 0));
            sent.events.push_back(spanOf(EventKind::Annotation, -1, -1, begin + 2000, begin + 3000, 0, 1));
            sent.events.push_back(spanOf(EventKind::Step, -1, -1, begin, begin + 4000, 0));
            ranks.back()->send(SenderFrame::Events, encode(sent));
            std::uint64_t taken = 0;
            QCOMPARE(ranks.back()->hear(&taken), takenType);
            QCOMPARE(taken, std::uint64_t{3});
        }
        for (const auto& rank : ranks) rank->leave();
        QTRY_VERIFY(run.over);
        const auto opened = RunReader::open(file_);
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        const RunReader& read = **opened;
        QCOMPARE(read.end().outcome, std::string("finished"));
        QCOMPARE(read.header().origin, std::string("train.py"));
        QVERIFY(!read.header().hasLayout());
        QCOMPARE(read.ranks().size(), std::size_t{2});
        QCOMPARE(read.ranks()[1].end, std::string("finished"));
        std::vector<std::string> said;
        QVERIFY(read.readEvents([&](std::span<const Event> events) {
            for (const Event& event : events) {
                said.push_back(std::to_string(event.rank) + " " + std::string(name(event.kind)) + " " +
                               read.names().text(event.action));
                if (event.begin < 0 || event.end < event.begin) said.push_back("out of time");
            }
            return true;
        }));
        std::ranges::sort(said);
        QCOMPARE(said, (std::vector<std::string>{"0 annotation all_reduce", "0 forward 0F3", "0 step ",
                                                 "1 annotation load batch", "1 forward 1F3", "1 step "}));
    }

    /// A rank that comes back sends again what was not acknowledged; each event counts once, each drop too.
    void eventsCountOnceOverLostConnections() {
        RandomEvents random(freshSeed());
        Recording run(file_);
        auto listener = listen(run);
        QVERIFY(listener);
        constexpr std::uint64_t all = 5000;
        std::uint64_t first = 0;
        std::uint64_t dropped = 0;
        const std::int64_t begin = monotonicNanoseconds();
        for (int connection = 0; connection < 12 || first < all; ++connection) {
            Caller caller(listener->address(), 5, token);
            QCOMPARE(caller.hear(&first), welcomeType);
            caller.join(0, 1);
            std::uint64_t next = first;
            for (std::int64_t frames = random.below(4); frames >= 0 && next < all; --frames) {
                // Some of what was sent before is sent again.
                const std::uint64_t from =
                    next - static_cast<std::uint64_t>(
                               random.below(static_cast<std::int64_t>(std::min<std::uint64_t>(next - first, 50)) + 1));
                SenderEvents sent{from, dropped += static_cast<std::uint64_t>(random.below(3)), {}};
                const std::uint64_t until = std::min(all, from + 1 + static_cast<std::uint64_t>(random.below(400)));
                for (std::uint64_t i = from; i < until; ++i) {
                    const auto at = begin + static_cast<std::int64_t>(i) * 1000;
                    sent.events.push_back(spanOf(EventKind::Forward, 0, static_cast<int>(i), at, at + 500, 0));
                }
                caller.send(SenderFrame::Events, encode(sent));
                next = std::max(next, until);
            }
            if (random.below(2) == 0) caller.hear();
        }
        Caller last(listener->address(), 5, token);
        QCOMPARE(last.hear(&first), welcomeType);
        QCOMPARE(first, all);
        last.join(0, 1);
        last.send(SenderFrame::Events, encode(SenderEvents{all, dropped, {}}));
        last.leave();
        QTRY_VERIFY(run.over);
        const auto read = RunReader::open(file_);
        QVERIFY(read);
        std::vector<int> seen(all, 0);
        QVERIFY((*read)->readEvents([&](std::span<const Event> events) {
            for (const Event& event : events)
                if (event.kind == EventKind::Forward)
                    ++seen[static_cast<std::size_t>(actionFromId(event.action).microbatch)];
            return true;
        }));
        QCOMPARE(std::ranges::count(seen, 1), static_cast<std::ptrdiff_t>(all));
        QCOMPARE((*read)->droppedEvents(), static_cast<std::int64_t>(dropped));
    }

    void whatMayNotBeSentIsRefused() {
        Recording run(file_);
        auto listener = listen(run);
        QVERIFY(listener);
        const auto refused = [&](std::uint64_t number, auto misbehave) {
            Caller caller(listener->address(), number, token);
            if (caller.hear() != welcomeType) return false;
            misbehave(caller);
            const int said = caller.hear();
            return said == 0 || said == refusalType || (said == takenType && caller.hear() == 0);
        };
        const std::int64_t now = monotonicNanoseconds();
        QVERIFY(refused(1, [](Caller& caller) { caller.join(2, 2); }));
        QVERIFY(refused(2, [](Caller& caller) { caller.join(0, 0); }));
        QVERIFY(refused(3, [](Caller& caller) { caller.send(SenderFrame::Events, encode(SenderEvents{})); }));
        QVERIFY(!QFile::exists(QString::fromStdString(file_.string())));  // nothing has begun
        Caller honest(listener->address(), 4, token);
        QCOMPARE(honest.hear(), welcomeType);
        honest.join(0, 2);
        honest.send(SenderFrame::Events,
                    encode(SenderEvents{0, 0, {spanOf(EventKind::Forward, 0, 0, now, now + 1, 0)}}));
        QCOMPARE(honest.hear(), takenType);
        QVERIFY(refused(5, [](Caller& caller) { caller.join(1, 3); }));
        QVERIFY(refused(6, [](Caller& caller) { caller.join(0, 2); }));
        std::uint64_t number = 7;
        for (const SenderEvent& wrong :
             {spanOf(EventKind::Restart, 0, 0, now, now, 0), spanOf(EventKind::Forward, 70'000, 0, now, now, 0),
              spanOf(EventKind::Forward, 0, 0, now, now - 1, 0), spanOf(EventKind::Annotation, 0, 0, now, now, 0, 9)}) {
            QVERIFY(refused(number++, [&](Caller& caller) {
                caller.join(1, 2);
                caller.send(SenderFrame::Events, encode(SenderEvents{0, 0, {wrong}}));
            }));
        }
        QVERIFY(refused(number++, [](Caller& caller) {
            caller.join(1, 2);
            caller.send(SenderFrame::Events, encode(SenderEvents{2, 0, {}}));  // it may begin anywhere
            caller.send(SenderFrame::Events, encode(SenderEvents{5, 0, {}}));  // what lies between was never sent
        }));
        QVERIFY(refused(number++, [&](Caller& caller) {
            caller.join(1, 2);
            caller.send(
                SenderFrame::Events,
                encode(SenderEvents{
                    0, 0, {spanOf(EventKind::Forward, 0, 0, now, std::numeric_limits<std::int64_t>::max(), 0)}}));
        }));
        QTRY_COMPARE(listener->counts().garbage, 7);
        QCOMPARE(listener->counts().wrongGreeting, 4);
        Caller stranger(listener->address(), number++, "guess");
        QCOMPARE(stranger.hear(), refusalType);
        QTRY_COMPARE(listener->counts().wrongToken, 1);
        listener.reset();
        const auto read = RunReader::open(file_);
        QVERIFY(read);
        QCOMPARE((*read)->end().outcome, std::string("stopped"));
        QCOMPARE((*read)->eventCount(), std::int64_t{1});
        const auto log = (*read)->log();
        QVERIFY(log && std::ranges::any_of(*log, [](const LogLine& line) {
                    return line.rank == 1 && line.text.find("event 1, end") != std::string::npos &&
                           line.text.find("36 years") != std::string::npos;
                }));
    }

    void aRankThatIsLostForGoodEndsTheRun() {
        Recording run(file_);
        auto listener = listen(run, 500ms);
        QVERIFY(listener);
        {
            Caller caller(listener->address(), 1, token);
            QCOMPARE(caller.hear(), welcomeType);
            caller.join(0, 1);
            const std::int64_t now = monotonicNanoseconds();
            caller.send(SenderFrame::Events,
                        encode(SenderEvents{0, 0, {spanOf(EventKind::Forward, 0, 0, now, now + 1, 0)}}));
            QCOMPARE(caller.hear(), takenType);
        }
        QTRY_VERIFY(run.over);
        const auto read = RunReader::open(file_);
        QVERIFY(read);
        QCOMPARE((*read)->end().outcome, std::string("failed"));
        QCOMPARE((*read)->end().reason, std::string("the connection of rank 0 was lost after 0F0 of step 0"));
    }

    void aRankThatFailsSaysWhy() {
        Recording run(file_);
        auto listener = listen(run);
        QVERIFY(listener);
        Caller caller(listener->address(), 1, token);
        QCOMPARE(caller.hear(), welcomeType);
        caller.join(0, 1);
        caller.send(SenderFrame(LiveFrame::Leave), encode(std::string("ended with ValueError: no batch")));
        QTRY_VERIFY(run.over);
        const auto read = RunReader::open(file_);
        QVERIFY(read);
        QCOMPARE((*read)->end().outcome, std::string("failed"));
        QCOMPARE((*read)->end().reason, std::string("rank 0 ended with ValueError: no batch"));
        QCOMPARE((*read)->ranks()[0].end, std::string("ended with ValueError: no batch"));
    }

    /// The run of a program whose layout is known has that layout and its prediction, as a run of our own.
    void aLayoutsPredictionIsPartOfTheRun() {
        Recording run(file_);
        ExpectedRun expected = twoStages();
        const Event predicted{
            10, 20, 0, 0, actionId({ActionKind::Forward, 1, 0}), 0, 1, Lane::Compute, EventKind::Forward};
        expected.predicted = {predicted};
        expected.header.predictedStepSeconds = 0.25;
        auto listener = listen(run, 60s, expected);
        QVERIFY(listener);
        std::vector<std::unique_ptr<Caller>> ranks;
        const std::int64_t now = monotonicNanoseconds();
        for (int rank = 0; rank < 2; ++rank) {
            ranks.push_back(
                std::make_unique<Caller>(listener->address(), 10 + static_cast<std::uint64_t>(rank), token));
            QCOMPARE(ranks.back()->hear(), welcomeType);
            ranks.back()->join(rank, 2);
            SenderEvents sent;
            sent.events.push_back(spanOf(EventKind::Forward, rank, 3, now, now + 1000, 0));
            SenderEvent wait = spanOf(EventKind::Wait, rank, 3, now + 1000, now + 1500, 0);
            wait.lane = Lane::Compute;
            wait.action = ActionKind::RecvBackward;
            sent.events.push_back(wait);
            ranks.back()->send(SenderFrame::Events, encode(sent));
            QCOMPARE(ranks.back()->hear(), takenType);
        }
        for (const auto& rank : ranks) rank->leave();
        QTRY_VERIFY(run.over);
        const auto opened = RunReader::open(file_);
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
        const RunReader& read = **opened;
        QVERIFY(read.header().hasLayout());
        QCOMPARE(read.header().origin, std::string("train.py"));
        QCOMPARE(read.header().layout.name, expected.header.layout.name);
        QCOMPARE(read.header().predictedStepSeconds, 0.25);
        QCOMPARE(read.ranks()[1].label, std::string("pp1"));
        const auto drawn = read.predicted();
        QVERIFY(drawn);
        QCOMPARE(*drawn, std::vector<Event>{predicted});
        std::vector<std::string> actions;
        QVERIFY(read.readEvents([&](std::span<const Event> events) {
            for (const Event& event : events)
                actions.push_back(std::string(name(event.kind)) + " " + read.names().text(event.action));
            return true;
        }));
        std::ranges::sort(actions);
        QCOMPARE(actions, (std::vector<std::string>{"forward 0F3", "forward 1F3", "wait 0RECV_B3", "wait 1RECV_B3"}));
    }

    void aProgramOfAnotherLayoutIsRefused() {
        const LayoutFit fit(twoStages().header.layout);
        const auto of = [&](int rank, ActionKind kind, int stage, int microbatch) {
            Event event;
            event.rank = static_cast<std::int16_t>(rank);
            event.action = actionId({kind, stage, microbatch});
            return fit.misfitOf(event).value_or(Sentence()).english();
        };
        QCOMPARE(of(1, ActionKind::Backward, 1, 3), std::string());
        QCOMPARE(of(0, ActionKind::OptimizerStep, 0, -1), std::string());
        QCOMPARE(of(0, ActionKind::Forward, 2, 0),
                 std::string("rank 0 recorded 2F0, the layout “two stages” has 2 stages (0 to 1)"));
        QCOMPARE(of(0, ActionKind::Forward, 0, 4),
                 std::string("rank 0 recorded 0F4, the layout “two stages” has 4 microbatches (0 to 3) in a step"));
        QCOMPARE(of(0, ActionKind::WeightGrad, 1, 0),
                 std::string("rank 0 recorded 1W0, the layout “two stages” has stage 1 on rank 1"));
        const std::string ranks = "the program has 3 ranks, the layout “two stages” has 2 (data 1 × pipeline 2)";
        QCOMPARE(fit.misfitOf(3).value_or(Sentence()).english(), ranks);

        Recording none(file_);
        auto listener = listen(none, 60s, twoStages());
        QVERIFY(listener);
        Caller wide(listener->address(), 1, token);
        QCOMPARE(wide.hear(), welcomeType);
        wide.join(0, 3);
        QCOMPARE(wide.hear(), refusalType);
        QTRY_COMPARE(listener->misfit().value_or(""), ranks);
        listener.reset();
        QVERIFY(!QFile::exists(QString::fromStdString(file_.string())));

        Recording run(file_);
        listener = listen(run, 60s, twoStages());
        QVERIFY(listener);
        Caller deep(listener->address(), 2, token);
        QCOMPARE(deep.hear(), welcomeType);
        deep.join(1, 2);
        const std::int64_t now = monotonicNanoseconds();
        deep.send(SenderFrame::Events, encode(SenderEvents{0, 0, {spanOf(EventKind::Forward, 5, 0, now, now, 0)}}));
        QCOMPARE(deep.hear(), refusalType);
        QTRY_VERIFY(run.over);
        const auto read = RunReader::open(file_);
        QVERIFY(read);
        QCOMPARE((*read)->end().outcome, std::string("failed"));
        QCOMPARE((*read)->end().reason,
                 std::string("rank 1 recorded 5F0, the layout “two stages” has 2 stages (0 to 1)"));
    }

    void whoHangsIsSaid() {
        constexpr std::int64_t second = 1'000'000'000;
        Stillness still(4, 10 * second);
        for (int rank = 0; rank < 4; ++rank) still.joined(rank);
        QVERIFY(!still.judge(100 * second));  // nothing has been recorded
        still.recorded(0, 100 * second);
        still.doing(0, {0, 3, true, "in 0RECV_B2"});
        QVERIFY(!still.judge(109 * second));
        still.doing(1, {0, 3, true, "in all_reduce"});
        still.doing(2, {0, 3, false, "in 2F3"});
        still.doing(3, {0, 3, true, "in 3RECV_F3"});
        auto verdict = still.judge(110 * second);
        QVERIFY(verdict);
        QCOMPARE(verdict->rank, 2);
        QCOMPARE(
            verdict->text,
            std::string("nothing has happened for 10.0 s: rank 2 stands still in 2F3 of step 3, 3 wait for others"));
        QVERIFY(!still.judge(120 * second));  // once
        QCOMPARE(still.holds(), verdict->text);
        still.recorded(2, 121 * second);
        QVERIFY(still.holds().empty());
        // A stopped process tells nothing; one that has left is not asked.
        still.doing(0, {0, 4, true, "in 0RECV_B2"});
        still.left(3);
        still.doing(2, {0, 4, true, "in 2RECV_F2"});
        verdict = still.judge(140 * second);
        QVERIFY(verdict);
        QCOMPARE(verdict->rank, -1);  // rank 1 was last heard of waiting in a step before
        still.recorded(1, 141 * second);
        still.doing(0, {0, 4, true, "in 0RECV_B2"});
        still.doing(2, {0, 4, true, "in 2RECV_F2"});
        verdict = still.judge(160 * second);
        QVERIFY(verdict);
        QCOMPARE(verdict->rank, 1);
        QVERIFY2(verdict->text.find("the process of rank 1 does not answer, 2 wait") != std::string::npos,
                 verdict->text.c_str());
    }

private:
    /// Two ranks, two stages, four microbatches.
    static ExpectedRun twoStages() {
        ExpectedRun expected;
        Layout& layout = expected.header.layout;
        layout.name = "two stages";
        layout.parallel.data = 1;
        layout.parallel.pipeline = 2;
        layout.batch.micro = 2;
        layout.batch.global = 8;
        layout.cluster.hosts.front().devices = 2;
        expected.header.layoutJson = writeLayout(layout);
        return expected;
    }

    static constexpr const char* token = "0123456789abcdef0123456789abcdef";

    static std::unique_ptr<LiveListener> listen(Recording& run, std::chrono::milliseconds returnWithin = 60s,
                                                std::optional<ExpectedRun> expected = {}) {
        ListenOptions options;
        options.pass = plainPass(token);
        options.returnWithin = returnWithin;
        options.expected = std::move(expected);
        auto listener = LiveListener::listen(options, run);
        return listener ? std::move(*listener) : nullptr;
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::filesystem::path file_;
};

QTEST_GUILESS_MAIN(LiveListenerTest)
#include "live_listener_test.moc"
