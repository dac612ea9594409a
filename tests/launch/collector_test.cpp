// SPDX-License-Identifier: Apache-2.0
// Telemetry and collector over a real socket: everything arrives once and in order, whatever the links do.
#include "engine/launch/job/collector.h"

#include "engine/base/clock.h"
#include "engine/trace/event/event_codec.h"
#include "engine/trace/record/frame_link.h"
#include "engine/trace/record/telemetry.h"
#include "tests/support/faulty_files.h"
#include "tests/support/seed.h"
#include "tests/launch/collected.h"
#include "tests/launch/cutting_proxy.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <climits>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace shardlab::test;
using namespace std::chrono_literals;

class CollectorTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    void everythingOfSeveralRanksArrivesOnce() {
        const auto collector = listen(3);
        QVERIFY(collector);
        Collected collected(*collector);
        RandomEvents random(freshSeed());
        std::vector<std::vector<Event>> given;
        std::vector<std::thread> ranks;
        for (int rank = 0; rank < 3; ++rank) given.push_back(random.plausible(40000, rank));
        for (int rank = 0; rank < 3; ++rank) {
            ranks.emplace_back([&, rank] {
                auto telemetry = Telemetry::connect(options(rank));
                if (!telemetry) return;
                record(**telemetry, given[static_cast<std::size_t>(rank)]);
                (*telemetry)->log(LogLevel::Warning, "last line of rank " + std::to_string(rank));
                (*telemetry)->finish(rank == 1 ? "stopped" : "finished");
            });
        }
        for (std::thread& rank : ranks) rank.join();
        QVERIFY(collected.wait([&] { return collected.goodbyes.size() == 3; }));
        collector->stop();
        collected.take();
        for (int rank = 0; rank < 3; ++rank) {
            QVERIFY(identical(collected.events[rank], given[static_cast<std::size_t>(rank)]));
            QCOMPARE(collected.goodbyes[rank], std::vector<std::string>{rank == 1 ? "stopped" : "finished"});
        }
        QCOMPARE(collected.log.size(), std::size_t{3});
        for (const LogLine& line : collected.log) {
            QCOMPARE(line.text, "last line of rank " + std::to_string(line.rank));
            QCOMPARE(line.level, LogLevel::Warning);
        }
        QVERIFY(collected.lost.empty());
        QCOMPARE(collector->counts().events, std::int64_t{120000});
        QCOMPARE(collected.joined.size(), std::size_t{3});
        QCOMPARE(collected.joined[0].pid, static_cast<int>(::getpid()));
        QVERIFY(!collected.joined[0].resumed);
        QVERIFY(!std::filesystem::exists(socket()));
    }

    /// A name comes before the first event that has it, by the numbers of its rank.
    void namesComeBeforeTheirEvents() {
        const auto collector = listen(2);
        QVERIFY(collector);
        std::vector<std::thread> ranks;
        for (int rank = 0; rank < 2; ++rank) {
            ranks.emplace_back([&, rank] {
                auto telemetry = Telemetry::connect(options(rank));
                if (!telemetry) return;
                for (std::uint32_t i = 1; i <= 3; ++i) {
                    const std::uint32_t number =
                        (*telemetry)->name("name " + std::to_string(i) + " of rank " + std::to_string(rank));
                    if (number != i) return;
                    (*telemetry)->recorder().span(Lane::Host, EventKind::Operation, 0, i, i + 1, namedId(number));
                    std::this_thread::sleep_for(30ms);
                }
                (*telemetry)->finish("finished");
            });
        }
        for (std::thread& rank : ranks) rank.join();
        collector->stop();
        std::map<int, std::vector<std::string>> names;
        std::map<int, int> events;
        for (const RankMessage& message : collector->take()) {
            if (const auto* name = std::get_if<RankName>(&message)) {
                names[name->rank].push_back(name->name.text);
                QCOMPARE(std::size_t{name->name.number}, names[name->rank].size());
            }
            if (const auto* some = std::get_if<std::vector<Event>>(&message))
                for (const Event& event : *some) {
                    ++events[event.rank];
                    QVERIFY(nameNumber(event.action) <= names[event.rank].size());
                }
        }
        for (int rank = 0; rank < 2; ++rank) {
            QCOMPARE(events[rank], 3);
            QCOMPARE(names[rank].size(), std::size_t{3});
            QCOMPARE(names[rank].back(), "name 3 of rank " + std::to_string(rank));
        }
    }

    void brokenLinksLoseAndDoubleNothing() {
        const std::uint64_t seed = freshSeed();
        const auto collector = listen(2);
        QVERIFY(collector);
        Collected collected(*collector);
        const std::filesystem::path front = folder_->filePath("proxy").toStdString();
        CuttingProxy proxy(front, socket(), seed, 40, 30000);
        RandomEvents random(seed + 1);
        std::vector<std::vector<Event>> given{random.plausible(60000, 0), random.plausible(60000, 1)};
        std::vector<std::thread> ranks;
        for (int rank = 0; rank < 2; ++rank) {
            ranks.emplace_back([&, rank] {
                TelemetryOptions through = options(rank);
                through.socket = front.string();
                auto telemetry = Telemetry::connect(through);
                if (!telemetry) return;
                record(**telemetry, given[static_cast<std::size_t>(rank)]);
                // Until the link has been cut as often as it will be, so that the goodbye is not in a race with 2 s.
                for (int i = 0; i < 3000 && proxy.cuts() < 40; ++i) {
                    (*telemetry)->log(LogLevel::Info, std::string(2000, 'x'));
                    std::this_thread::sleep_for(20ms);
                }
                (*telemetry)->finish("finished");
            });
        }
        for (int i = 0; i < 5; ++i) {
            collector->send(Command::Pause);
            std::this_thread::sleep_for(10ms);
        }
        for (std::thread& rank : ranks) rank.join();
        QVERIFY(collected.wait([&] { return collected.goodbyes.size() == 2; }));
        collector->stop();
        collected.take();
        for (int rank = 0; rank < 2; ++rank)
            QVERIFY(identical(collected.events[rank], given[static_cast<std::size_t>(rank)]));
        QVERIFY2(proxy.cuts() >= 40, std::to_string(proxy.cuts()).c_str());
        QVERIFY(collector->counts().resumed > 0);
        QCOMPARE(collected.goodbyes[0].size(), std::size_t{1});
    }

    /// Each rank gets each command once and in order: over broken links, and where it joins late.
    void commandsArriveOnceInOrder() {
        const std::uint64_t seed = freshSeed();
        RandomEvents random(seed);
        const auto collector = listen(2);
        QVERIFY(collector);
        const std::filesystem::path front = folder_->filePath("proxy").toStdString();
        CuttingProxy proxy(front, socket(), seed, 20, 300);
        TelemetryOptions through = options(0);
        through.socket = front.string();
        auto early = Telemetry::connect(through);
        QVERIFY2(early, early ? "" : early.error().text().c_str());
        std::vector<Command> sent;
        std::vector<Command> got;
        const auto take = [](Telemetry& telemetry, std::vector<Command>& into, std::size_t until) {
            for (int i = 0; i < 6000 && into.size() < until; ++i) {
                Command command = telemetry.takeCommand();
                for (; command != Command::None; command = telemetry.takeCommand()) into.push_back(command);
                std::this_thread::sleep_for(10ms);
            }
        };
        for (int i = 0; i < 60; ++i) {
            sent.push_back(static_cast<Command>(1 + random.below(4)));
            collector->send(sent.back());
            (*early)->log(LogLevel::Info, std::string(100, 'y'));
            std::this_thread::sleep_for(10ms);
        }
        take(**early, got, sent.size());
        QVERIFY(got == sent);
        QVERIFY(proxy.cuts() >= 10);
        auto late = Telemetry::connect(options(1));
        QVERIFY(late);
        got.clear();
        take(**late, got, sent.size());
        QVERIFY(got == sent);
        QCOMPARE((*late)->takeCommand(), Command::None);
        (*late)->finish("finished");
        (*early)->finish("finished");
    }

    void strangersAreRefusedAndCounted() {
        CollectorOptions given = collectorOptions(2);
        given.handshake = 2000ms;  // long enough for whoever speaks
        auto collector = Collector::listen(given);
        QVERIFY(collector);
        Collected collected(**collector);
        const auto closed = [](Descriptor& link) {
            std::array<std::byte, 64> room{};
            for (int i = 0; i < 3000; ++i) {
                const auto count = receiveSome(link, room);
                if (!count) return true;
                std::this_thread::sleep_for(10ms);
            }
            return false;
        };
        const auto say = [&](const Bytes& bytes) {
            auto link = connectUnix(socket());
            return link && sendSome(*link, bytes) == bytes.size() && closed(*link);
        };
        const auto hello = [](const Hello& stranger) {
            Bytes bytes;
            appendFrame(bytes, FrameType::Hello, encode(stranger));
            return bytes;
        };
        Hello wrongToken;
        wrongToken.token = "guess";
        Hello wrongRank;
        wrongRank.token = token;
        wrongRank.rank = 2;
        Hello wrongProtocol;
        wrongProtocol.token = token;
        wrongProtocol.protocol = 99;
        for (const Hello& stranger : {wrongToken, wrongRank, wrongProtocol}) QVERIFY(say(hello(stranger)));
        QCOMPARE((*collector)->counts().wrongToken, 1);
        QCOMPARE((*collector)->counts().wrongGreeting, 2);

        RandomEvents random(freshSeed());
        for (int i = 0; i < 20; ++i) {
            Bytes noise(300);
            for (std::byte& byte : noise) byte = static_cast<std::byte>(random.below(256));
            QVERIFY(say(noise));
        }
        Bytes impatient;  // events before any hello
        appendFrame(impatient, FrameType::Events, Bytes(40));
        QVERIFY(say(impatient));
        QCOMPARE((*collector)->counts().garbage + (*collector)->counts().oversized, 21);

        // Before the handshake even 1 MiB is too long; after it, more than 1 MiB.
        const std::int64_t oversized = (*collector)->counts().oversized;
        Bytes large(16);
        const std::uint32_t length = 5000;
        std::memcpy(large.data(), &length, sizeof length);
        QVERIFY(say(large));
        QCOMPARE((*collector)->counts().oversized, oversized + 1);
        Hello right;
        right.token = token;
        Bytes joined = hello(right);
        const std::uint32_t tooLong = largestFrame + 1;
        const auto* raw = reinterpret_cast<const std::byte*>(&tooLong);
        joined.insert(joined.end(), raw, raw + 4);
        joined.insert(joined.end(), 4, std::byte{});
        QVERIFY(say(joined));
        QCOMPARE((*collector)->counts().oversized, oversized + 2);

        auto silent = connectUnix(socket());
        QVERIFY(silent);
        QVERIFY(closed(*silent));
        QCOMPARE((*collector)->counts().slowHandshake, 1);

        // An honest rank is served all the same.
        auto telemetry = Telemetry::connect(options(1));
        QVERIFY(telemetry);
        (*telemetry)->finish("finished");
        QVERIFY(collected.wait([&] { return collected.goodbyes.count(1) == 1; }));
        QVERIFY(collected.events.empty());

        TelemetryOptions impostor = options(0);
        impostor.token = "guess";
        impostor.giveUpAfter = 200'000'000;
        const auto refused = Telemetry::connect(impostor);
        QVERIFY(!refused);
        QVERIFY(refused.error().text().find(socket()) != std::string::npos);
    }

    /// Frames that are valid but out of place, or of a kind that ranks do not send, end the link and change nothing.
    void misplacedFramesAreRefused() {
        const auto collector = listen(1);
        QVERIFY(collector);
        Collected collected(*collector);
        RandomEvents random(freshSeed());
        Bytes block;
        encodeEvents(random.plausible(10, 0), block);
        for (const std::uint64_t offset : {std::uint64_t{1}, ~std::uint64_t{0}}) {
            Bytes body;
            ByteWriter writer(body);
            writer.fixed(offset);
            writer.bytes(block);
            sendAfterHello(FrameType::Events, body);
        }
        Bytes damagedBlock(8);
        damagedBlock.push_back(std::byte{200});
        sendAfterHello(FrameType::Events, damagedBlock);
        sendAfterHello(FrameType::Ack, Bytes(8));
        sendAfterHello(static_cast<FrameType>(99), Bytes(8));
        QVERIFY(collected.wait([&] { return collected.lost.size() == 5; }));
        QCOMPARE(collector->counts().garbage, 5);
        QVERIFY(collected.events.empty());
    }

    void timesBeyondAllAreRefusedByName() {
        const auto collector = listen(1);
        QVERIFY(collector);
        Collected collected(*collector);
        Event event{.begin = 5, .end = std::numeric_limits<std::int64_t>::max(), .kind = EventKind::Forward};
        Bytes body(8), block;
        encodeEvents(std::span(&event, 1), block);
        ByteWriter(body).bytes(block);
        for (int again = 0; again < 2; ++again) sendAfterHello(FrameType::Events, body);
        QVERIFY(collected.wait([&] { return collected.lost.size() == 2; }));
        QVERIFY(collected.events.empty());
        QCOMPARE(collected.log.size(), std::size_t{1});
        QVERIFY(collected.log[0].text.find("event 1 (forward of rank 0) goes from 5 to 9223372036854775807 ns") !=
                std::string::npos);
    }

    void aRankIsOrphanedWhenItsCollectorIsGone() {
        auto collector = listen(1);
        QVERIFY(collector);
        TelemetryOptions given = options(0);
        given.giveUpAfter = 300'000'000;
        auto telemetry = Telemetry::connect(given);
        QVERIFY(telemetry);
        QVERIFY(!(*telemetry)->orphaned());
        collector->stop();
        QTRY_VERIFY_WITH_TIMEOUT((*telemetry)->orphaned(), 5000);
        // Nothing waits for a collector that is gone.
        (*telemetry)->recorder().counter(EventKind::Loss, 1, 1);
        (*telemetry)->finish("stopped");
        QVERIFY(!Telemetry::connect(given));
    }

    /// What a killed rank had spooled but not sent is handed over after its death, and only that.
    void aKilledRanksSpoolIsRecovered() {
        RandomEvents random(freshSeed());
        const std::vector<Event> given = random.plausible(20000, 0);
        const auto collector = listen(1);
        QVERIFY(collector);
        Collected collected(*collector);
        {
            // A link that is cut for good after 50 kB leaves the rest in the spool.
            const std::filesystem::path front = folder_->filePath("proxy").toStdString();
            auto proxy = std::make_unique<CuttingProxy>(front, socket(), 1, 1000, 50000);
            TelemetryOptions through = options(0);
            through.socket = front.string();
            auto telemetry = Telemetry::connect(through);
            QVERIFY(telemetry);
            record(**telemetry, std::span(given).first(10000));
            proxy.reset();
            record(**telemetry, std::span(given).subspan(10000));
        }
        QVERIFY(collector->recover(0, options(0).spool));
        collected.take();
        QVERIFY(identical(collected.events[0], given));
        QVERIFY(collector->recover(0, options(0).spool));  // again: nothing twice
        collected.take();
        QVERIFY(identical(collected.events[0], given));
        QVERIFY(collected.goodbyes.empty());
        QVERIFY(!collector->recover(0, folder_->filePath("none").toStdString()));
        QVERIFY(!collector->recover(7, options(0).spool));
        collector->stop();
        collected.take();
        QVERIFY(!collector->recover(0, options(0).spool));
    }

    void aFullDiskDoesNotStopTheRank() {
        RandomEvents random(freshSeed());
        for (int at : {1, 2, 5}) {
            init();
            const auto collector = listen(1);
            QVERIFY(collector);
            Collected collected(*collector);
            FaultyFileSystem files({FileCall::Write, at, INT_MAX / 2});
            TelemetryOptions given = options(0);
            given.files = &files;
            auto telemetry = Telemetry::connect(given);
            QVERIFY(telemetry);
            const std::vector<Event> events = random.plausible(30000, 0);
            record(**telemetry, events);
            (*telemetry)->finish("finished");
            QVERIFY(collected.wait([&] { return collected.goodbyes.size() == 1; }));
            collector->stop();
            collected.take();
            QVERIFY(identical(collected.events[0], events));
            QCOMPARE(collected.log.size(), std::size_t{1});
            QVERIFY(collected.log[0].text.find("No space left on device") != std::string::npos);
        }
    }

    /// What a ring could not hold is reported as an event of its own.
    void dropsAreReported() {
        const auto collector = listen(1);
        QVERIFY(collector);
        Collected collected(*collector);
        TelemetryOptions given = options(0);
        given.ringEvents = 256;
        auto telemetry = Telemetry::connect(given);
        QVERIFY(telemetry);
        for (int i = 0; i < 5000; ++i) (*telemetry)->recorder().counter(EventKind::Loss, i, i);
        (*telemetry)->finish("finished");
        QVERIFY(collected.wait([&] { return collected.goodbyes.size() == 1; }));
        double dropped = 0;
        int arrived = 0;
        for (const Event& event : collected.events[0]) {
            if (event.kind == EventKind::Dropped) dropped += event.value;
            if (event.kind == EventKind::Loss) ++arrived;
        }
        QVERIFY(dropped > 0);
        QCOMPARE(arrived + static_cast<int>(dropped), 5000);
    }

    void placesThatCannotBeListenedOn() {
        CollectorOptions given = collectorOptions(1);
        given.socket = std::string(120, 'x');
        QVERIFY(Collector::listen(given).error().text().find("107") != std::string::npos);
        given.socket = "/nowhere/at/all";
        QVERIFY(!Collector::listen(given));
        given.socket = folder_->filePath("file").toStdString();
        QVERIFY(replaceFile(given.socket, "precious"));
        QVERIFY(!Collector::listen(given));
        QCOMPARE(*readFile(given.socket), std::string("precious"));
        const auto first = listen(1);
        QVERIFY(first);
        const auto second = Collector::listen(collectorOptions(1));
        QVERIFY(!second);
        QVERIFY(second.error().text().find("another program listens") != std::string::npos);
    }

    /// A socket file that a killed program left is taken over.
    void aStaleSocketIsReplaced() {
        const pid_t child = ::fork();
        if (child == 0) {
            const auto collector = listen(1);
            ::kill(::getpid(), SIGKILL);
        }
        ::waitpid(child, nullptr, 0);
        QVERIFY(std::filesystem::exists(socket()));
        QVERIFY(listen(1));
    }

private:
    static constexpr const char* token = "right";

    std::string socket() const { return folder_->filePath("socket").toStdString(); }
    CollectorOptions collectorOptions(int ranks) const {
        CollectorOptions given;
        given.socket = socket();
        given.token = token;
        given.ranks = ranks;
        return given;
    }
    std::unique_ptr<Collector> listen(int ranks) const {
        auto collector = Collector::listen(collectorOptions(ranks));
        return collector ? std::move(*collector) : nullptr;
    }
    TelemetryOptions options(int rank) const {
        TelemetryOptions given;
        given.rank = rank;
        given.socket = socket();
        given.token = token;
        given.spool = folder_->filePath(QString("%1.spool").arg(rank)).toStdString();
        given.clockOrigin = monotonicNanoseconds();
        given.ringEvents = 1 << 17;  // more than a test records, however seldom a busy machine drains it
        return given;
    }
    /// In pieces that the ring holds, with pauses in which it is drained.
    static void record(Telemetry& telemetry, std::span<const Event> events) {
        while (!events.empty()) {
            const auto piece = events.first(std::min<std::size_t>(events.size(), 10000));
            for (const Event& event : piece) telemetry.recorder().record(event);
            events = events.subspan(piece.size());
            std::this_thread::sleep_for(60ms);
        }
    }
    void sendAfterHello(FrameType type, const Bytes& body) const {
        auto link = connectUnix(socket());
        QVERIFY(link);
        FrameLink frames(std::move(*link));
        Hello hello;
        hello.token = token;
        frames.send(FrameType::Hello, encode(hello));
        frames.send(type, body);
        QVERIFY(frames.flush());
        for (int i = 0; i < 3000 && frames.receive(); ++i) std::this_thread::sleep_for(10ms);
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(CollectorTest)
#include "collector_test.moc"
