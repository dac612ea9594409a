// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event/event_codec.h"

#include "engine/base/crc32c.h"
#include "engine/trace/event/zstd_bytes.h"
#include "engine/trace/run_file/run_block.h"
#include "tests/support/places.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <limits>
#include <set>
#include <string>

using namespace shardlab::test;

class EventCodecTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void checksumIsCastagnoli() {
        QCOMPARE(crc32c("123456789"), 0xE3069283u);
        QCOMPARE(crc32c("6789", crc32c("12345")), 0xE3069283u);
        QCOMPARE(crc32c(""), 0u);
    }

    void variableLengthIntegers() {
        RandomEvents random(freshSeed());
        for (int i = 0; i < 10000; ++i) {
            const std::int64_t number = random.anyNumber();
            QCOMPARE(unzigzag(zigzag(number)), number);
            Bytes bytes;
            ByteWriter(bytes).varint(static_cast<std::uint64_t>(number));
            QVERIFY(bytes.size() <= 10);
            ByteReader reader(bytes);
            QCOMPARE(static_cast<std::int64_t>(reader.varint()), number);
            QVERIFY(reader.atEnd());
            ByteReader cut{std::span<const std::byte>(bytes).first(bytes.size() - 1)};
            cut.varint();
            QVERIFY(!cut.ok());
        }
        const Bytes overlong(11, std::byte{0x80});
        ByteReader reader(overlong);
        reader.varint();
        QVERIFY(!reader.ok());
    }

    void everyKindHasItsName() {
        QFile header(SHARDLAB_SOURCE_DIR "/engine/trace/event/event.h");
        QVERIFY(header.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(header.readAll());
        const auto begin = text.indexOf("enum class EventKind"), end = text.indexOf("};", begin);
        int written = 0;
        for (const auto& kind :
             QRegularExpression("\\n    (\\w+) =\\s+(\\d+),").globalMatch(text.mid(begin, end - begin))) {
            ++written;
            const std::string_view is = name(static_cast<EventKind>(kind.captured(2).toInt()));
            QVERIFY2(is != "unknown", qPrintable(kind.captured(1)));
        }
        QVERIFY(written > 60);
        std::set<std::string_view> names;
        int known = 0;
        for (int i = 0; i < 256; ++i) {
            const auto kind = static_cast<EventKind>(i);
            if (name(kind) == "unknown") continue;
            ++known;
            names.insert(name(kind));
            QVERIFY2(isSpan(kind) + isCounter(kind) <= 1, std::string(name(kind)).c_str());
        }
        QCOMPARE(names.size(), static_cast<std::size_t>(known));
        QCOMPARE(name(memoryKind(MemoryCategory::Temporary)), std::string_view("memory: temporary"));
        QCOMPARE(eventKind(ActionKind::OptimizerStep), EventKind::Optimizer);
        for (std::size_t i = 1; i < actionKindCount; ++i) {
            const auto kind = static_cast<ActionKind>(i);
            const ActionTraits& row = actionTraits[kind];
            const EventKind event = eventKind(kind);
            if (row.work == ActionWork::HostRelease) continue;  // an action that leaves no event of its own
            QCOMPARE(name(event), row.title);
            QCOMPARE(workOf(actionOf(event)), row.work);
            QVERIFY2(isSpan(event) && isHostCopy(event) == isHostCopy(kind) &&
                         isServerExchange(event) == isServerExchange(kind),
                     std::string(row.text).c_str());
        }
        QCOMPARE(actionOf(EventKind::None), ActionKind::None);
        QCOMPARE(actionOf(EventKind::Wait), ActionKind::None);
        for (int i = 1; i <= static_cast<int>(ActionKind::OptimizerStep); ++i) {
            const auto action = static_cast<ActionKind>(i);
            QVERIFY(isSpan(eventKind(action)));
            // A recomputation's span lies within that of the backward it is for.
            QCOMPARE(isCompute(eventKind(action)), isCompute(action) && action != ActionKind::Recompute);
        }
    }

    void roundTrips() {
        RandomEvents random(freshSeed());
        for (int round = 0; round < 300; ++round) {
            const auto count = static_cast<std::size_t>(1 + random.below(round % 10 == 0 ? largestBlock : 200));
            const std::vector<Event> events = round % 2 == 0 ? random.extreme(count) : random.plausible(count, round);
            Bytes block{std::byte{7}};  // encodeEvents appends
            encodeEvents(events, block);
            QVERIFY(block.size() <= 16 + events.size() * 85);
            std::vector<Event> back;
            QVERIFY(decodeEvents(std::span(block).subspan(1), back));
            QVERIFY(identical(events, back));
        }
    }

    void fullBlockOfExtremes() {
        RandomEvents random(freshSeed());
        const std::vector<Event> events = random.extreme(largestBlock);
        Bytes block;
        encodeEvents(events, block);
        std::vector<Event> back;
        QVERIFY(decodeEvents(block, back));
        QVERIFY(identical(events, back));
    }

    void repeatedFieldsCostAByteOrNothing() {
        std::vector<Event> events(largestBlock);
        for (std::size_t i = 0; i < events.size(); ++i) {
            events[i].begin = static_cast<std::int64_t>(i) * 50;
            events[i].end = events[i].begin + (i % 3 == 0 ? 1'000'000'007 : 2'000'000'011);
            events[i].kind = EventKind::Forward;
        }
        Bytes block;
        encodeEvents(events, block);
        QVERIFY2(block.size() < events.size() * 2 + 64, std::to_string(block.size()).c_str());
    }

    void timesThatNoRunHasAreRefused() {
        RandomEvents random(freshSeed());
        for (int round = 0; round < 200; ++round) {
            std::vector<Event> events = random.plausible(20, 3);
            const auto at = static_cast<std::size_t>(random.below(20));
            const std::int64_t beyond =
                latestTime + 1 + random.below(std::numeric_limits<std::int64_t>::max() - latestTime);
            (round % 2 == 0 ? events[at].begin : events[at].end) = round % 4 < 2 ? beyond : -beyond;
            events[at].kind = EventKind::Forward;
            events[at].action = actionId({ActionKind::Forward, 2, 1, -1});
            Bytes block;
            encodeEvents(events, block);
            std::vector<Event> back;
            const Status read = decodeEvents(block, back);
            QVERIFY(!read && back.empty());
            const std::string error = read.error().text();
            for (const std::string& word : {"event " + std::to_string(at + 1) + " (forward 2F1 of rank 3)",
                                            std::to_string(beyond), std::string("36 years")})
                QVERIFY2(error.find(word) != std::string::npos, error.c_str());
        }
    }

    /// A few bytes may claim to be gigabytes.
    void whatAFrameMayUnpackToIsBounded() {
        std::vector<Event> back;
        const Status block = BlockUnpacker().unpack(packBytes(Bytes(2 << 20)), back);
        QVERIFY(!block);
        QVERIFY2(block.error().text().find("At most 1.00 MiB") != std::string::npos, block.error().text().c_str());
        const auto figures = unpackBytes(packBytes(Bytes(65 << 20)));
        QVERIFY(!figures);
        QVERIFY2(figures.error().text().find("At most 64.0 MiB") != std::string::npos, figures.error().text().c_str());
    }

    /// Not one of all prefixes of a block, and nothing behind it, passes for a block.
    void everyCutIsNoticed() {
        RandomEvents random(freshSeed());
        const std::vector<Event> events = random.plausible(60, 3);
        Bytes block;
        encodeEvents(events, block);
        std::vector<Event> back;
        for (std::size_t size = 0; size < block.size(); ++size) {
            QVERIFY(!decodeEvents(std::span(block).first(size), back));
            QVERIFY(back.empty());
        }
        block.push_back(std::byte{0});
        QVERIFY(!decodeEvents(block, back));
    }

    /// Damage is refused or decodes to some events; it never reads or writes where it must not (run under sanitizers).
    void damageNeverCrashes() {
        RandomEvents random(freshSeed());
        std::vector<Event> back;
        for (int round = 0; round < 3000; ++round) {
            Bytes block;
            encodeEvents(random.plausible(static_cast<std::size_t>(1 + random.below(100)), 1), block);
            for (std::int64_t flips = 1 + random.below(8); flips > 0; --flips)
                block[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(block.size())))] =
                    static_cast<std::byte>(random.below(256));
            if (!decodeEvents(block, back)) QVERIFY(back.empty());
            Bytes noise(static_cast<std::size_t>(random.below(300)));
            for (std::byte& byte : noise) byte = static_cast<std::byte>(random.below(256));
            if (decodeEvents(noise, back)) QVERIFY(back.size() <= largestBlock);
        }
    }
};

QTEST_GUILESS_MAIN(EventCodecTest)
#include "event_codec_test.moc"
