// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/spool.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

using namespace shardlab::test;

namespace {

Bytes randomBytes(RandomEvents& random, std::size_t size) {
    Bytes bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    return bytes;
}

}  // namespace

class WireTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void framesComeOutAsTheyWentIn() {
        RandomEvents random(freshSeed());
        Bytes stream;
        std::vector<std::pair<FrameType, Bytes>> given;
        for (int i = 0; i < 200; ++i) {
            const std::size_t size = i == 77 ? largestFrame - 1 : static_cast<std::size_t>(random.below(2000));
            given.emplace_back(static_cast<FrameType>(1 + random.below(7)), randomBytes(random, size));
            appendFrame(stream, given.back().first, given.back().second);
        }
        FrameParser parser;
        std::size_t at = 0;
        for (std::size_t fed = 0; fed < stream.size();) {
            const std::size_t piece =
                std::min<std::size_t>(stream.size() - fed, static_cast<std::size_t>(1 + random.below(5000)));
            parser.feed(std::span(stream).subspan(fed, piece));
            fed += piece;
            Frame frame;
            FrameParser::Outcome outcome{};
            while ((outcome = parser.next(frame)) == FrameParser::Outcome::Frame) {
                QVERIFY(at < given.size());
                QCOMPARE(frame.type, given[at].first);
                QVERIFY(std::ranges::equal(frame.body, given[at].second));
                QCOMPARE(frame.size, given[at].second.size() + frameOverhead);
                ++at;
            }
            QCOMPARE(outcome, FrameParser::Outcome::NeedMore);
        }
        QCOMPARE(at, given.size());
    }

    void oversizedAndDamagedFramesAreToldApart() {
        Bytes stream;
        appendFrame(stream, FrameType::Events, Bytes(largestFrame));
        FrameParser parser;
        parser.feed(std::span(stream).first(8));
        Frame frame;
        QCOMPARE(parser.next(frame), FrameParser::Outcome::Oversized);

        RandomEvents random(freshSeed());
        int damaged = 0;
        for (int round = 0; round < 500; ++round) {
            Bytes whole;
            appendFrame(whole, FrameType::Log, randomBytes(random, 50));
            whole[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(whole.size())))] ^=
                static_cast<std::byte>(1 + random.below(255));
            FrameParser other;
            other.feed(whole);
            const auto outcome = other.next(frame);
            QVERIFY(outcome != FrameParser::Outcome::Frame);
            damaged += outcome == FrameParser::Outcome::Damaged;
        }
        QVERIFY(damaged > 300);
        FrameParser empty;
        empty.feed(Bytes(16));
        QCOMPARE(empty.next(frame), FrameParser::Outcome::Damaged);
    }

    void messagesRoundTripAndRefuseCuts() {
        Hello hello;
        hello.rank = 12;
        hello.pid = 4711;
        hello.commandsTaken = 3;
        hello.host = "node-7";
        hello.token = std::string("t\0ken", 5);
        const Bytes body = encode(hello);
        const auto back = decode<Hello>(body);
        QVERIFY(back);
        QCOMPARE(back->rank, 12);
        QCOMPARE(back->pid, 4711);
        QCOMPARE(back->commandsTaken, 3u);
        QCOMPARE(back->host, hello.host);
        QCOMPARE(back->token, hello.token);
        for (std::size_t size = 0; size < body.size(); ++size) QVERIFY(!decode<Hello>(std::span(body).first(size)));

        const LogLine line{-5, 3, LogLevel::Warning, "a µ-line\nwith two rows"};
        const Bytes text = encode(line);
        const auto log = decode<LogLine>(text);
        QVERIFY(log);
        QCOMPARE(log->time, line.time);
        QCOMPARE(log->level, line.level);
        QCOMPARE(log->text, line.text);
        for (std::size_t size = 0; size < text.size(); ++size) QVERIFY(!decode<LogLine>(std::span(text).first(size)));
    }

    void aSpoolIsReadUpToItsFirstDamage() {
        RandomEvents random(freshSeed());
        const QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("0.spool").toStdString();
        DiskFileSystem disk;
        std::vector<std::uint64_t> offsets;
        {
            Spool spool(disk, file);
            for (int i = 0; i < 100; ++i) {
                offsets.push_back(spool.end());
                QVERIFY(
                    spool.append(FrameType::Events, randomBytes(random, static_cast<std::size_t>(random.below(300)))));
            }
            offsets.push_back(spool.end());
        }
        const std::string whole = *readFile(file);
        QCOMPARE(whole.size(), offsets.back());
        const auto read = [&](std::uint64_t from, std::vector<std::uint64_t>& seen) {
            seen.clear();
            return readSpool(disk, file, from, [&](std::uint64_t offset, const Frame&) { seen.push_back(offset); });
        };
        std::vector<std::uint64_t> seen;
        QVERIFY(read(offsets[40], seen));
        QCOMPARE(seen, std::vector<std::uint64_t>(offsets.begin() + 40, offsets.end() - 1));

        for (int round = 0; round < 50; ++round) {
            const auto at = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(whole.size())));
            const auto frame = std::upper_bound(offsets.begin(), offsets.end(), at) - offsets.begin() - 1;
            // Cut: the frames before the cut, and no error.
            QVERIFY(replaceFile(file, std::string_view(whole).substr(0, at)));
            QVERIFY(read(0, seen));
            QCOMPARE(seen.size(), static_cast<std::size_t>(frame));
            // A flipped byte: the frames before it. (In a length it may look like a cut.)
            std::string flipped = whole;
            flipped[at] = static_cast<char>(flipped[at] ^ (1 + random.below(255)));
            QVERIFY(replaceFile(file, flipped));
            const Status status = read(0, seen);
            QCOMPARE(seen.size(), static_cast<std::size_t>(frame));
            if (at - offsets[static_cast<std::size_t>(frame)] >= 4) QVERIFY(!status);
        }
        std::filesystem::remove(file);
        QVERIFY(!read(0, seen));
    }

    /// A large, fully acknowledged file starts again; offsets go on.
    void aSpoolIsRecycled() {
        const QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("0.spool").toStdString();
        DiskFileSystem disk;
        Spool spool(disk, file, {.recycleBytes = 5000});
        const Bytes body(983, std::byte{1});  // 1000 bytes a frame
        for (int i = 0; i < 7; ++i) QVERIFY(spool.append(FrameType::Events, body));
        spool.acknowledge(6000);
        QCOMPARE(std::filesystem::file_size(file), std::uintmax_t{7000});
        spool.acknowledge(7000);
        QCOMPARE(std::filesystem::file_size(file), std::uintmax_t{0});
        QVERIFY(spool.append(FrameType::Events, body));
        QCOMPARE(spool.end(), std::uint64_t{8000});
        QCOMPARE(spool.read(7000, 5000)->size(), std::size_t{1000});
        std::uint64_t offset = 0;
        QVERIFY(readSpool(disk, file, 7000, [&](std::uint64_t at, const Frame&) { offset = at; }));
        QCOMPARE(offset, std::uint64_t{7000});
    }
};

QTEST_GUILESS_MAIN(WireTest)
#include "wire_test.moc"
