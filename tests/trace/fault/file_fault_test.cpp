// SPDX-License-Identifier: Apache-2.0
// Failing writes, syncs and renames: of files that are replaced whole, and of a rank's spool.
#include "engine/trace/record/spool.h"
#include "tests/support/faulty_files.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <climits>

using namespace shardlab::test;

class FileFaultTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Whatever call fails, the old content stays, the error names the file and the reason, and nothing else is left.
    void aFailedReplacementChangesNothing() {
        for (FileCall call : {FileCall::Open, FileCall::Write, FileCall::Sync, FileCall::Rename}) {
            const QTemporaryDir folder;
            const std::filesystem::path file = folder.filePath("a.json").toStdString();
            QVERIFY(replaceFile(file, "old"));
            FaultyFileSystem files({call, 1});
            const Status replaced = replaceFile(files, file, std::string(300000, 'n'));
            QCOMPARE(files.struck(), 1);
            QVERIFY(!replaced);
            QVERIFY(replaced.error().text().find(file.string()) != std::string::npos);
            QVERIFY(replaced.error().text().find("No space left") != std::string::npos);
            QCOMPARE(*readFile(file), std::string("old"));
            QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 1);
        }
    }

    void shortWritesAreContinued() {
        const QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("a").toStdString();
        RandomEvents random(freshSeed());
        std::string content(200001, ' ');
        for (char& letter : content) letter = static_cast<char>(random.below(256));
        FaultyFileSystem files({FileCall::Write, 1, 10, true});
        QVERIFY(replaceFile(files, file, content));
        QVERIFY(files.struck() > 3);
        QVERIFY(*readFile(file) == content);
    }

    /// A spool whose disk fails at its k-th write goes on in memory: the same bytes come out, and the file is whole.
    void aSpoolGoesOnInMemory() {
        RandomEvents random(freshSeed());
        for (int at = 1; at <= 12; ++at) {
            const QTemporaryDir folder;
            const std::filesystem::path file = folder.filePath("0.spool").toStdString();
            FaultyFileSystem files({FileCall::Write, at, INT_MAX / 2});
            Spool spool(files, file);
            std::vector<Bytes> bodies;
            for (int i = 0; i < 12; ++i) {
                QCOMPARE(spool.fault().has_value(), i >= at);
                bodies.emplace_back(static_cast<std::size_t>(random.below(5000)), static_cast<std::byte>(i));
                QVERIFY(spool.append(FrameType::Events, bodies.back()));
            }
            QCOMPARE(spool.fault()->why, std::string("No space left on device"));
            QCOMPARE(framesOf(spool, 0), bodies);
            // What the launcher would recover: all frames before the failure.
            int found = 0;
            DiskFileSystem disk;
            QVERIFY(readSpool(disk, file, 0, [&](std::uint64_t, const Frame&) { ++found; }));
            QCOMPARE(found, at - 1);
        }
    }

    void aSpoolThatCannotBeCreatedLivesInMemory() {
        FaultyFileSystem files({FileCall::Open, 1});
        Spool spool(files, "/nowhere/0.spool");
        QVERIFY(spool.fault());
        const Bytes body(100, std::byte{5});
        for (int i = 0; i < 10; ++i) QVERIFY(spool.append(FrameType::Log, body));
        QCOMPARE(framesOf(spool, 0).size(), std::size_t{10});
    }

    /// Memory is bounded: what does not fit is refused, acknowledged bytes make room again.
    void memoryIsBounded() {
        FaultyFileSystem files({FileCall::Open, 1});
        Spool spool(files, "/nowhere/0.spool", {.memoryBytes = 10000});
        const Bytes body(983, std::byte{1});  // 1000 bytes a frame
        for (int i = 0; i < 10; ++i) QVERIFY(spool.append(FrameType::Events, body));
        const Status refused = spool.append(FrameType::Events, body);
        QVERIFY(!refused);
        QVERIFY(refused.error().why.english().find("No space left") != std::string::npos);
        spool.acknowledge(3000);
        for (int i = 0; i < 3; ++i) QVERIFY(spool.append(FrameType::Events, body));
        QVERIFY(!spool.append(FrameType::Events, body));
        QCOMPARE(framesOf(spool, 3000).size(), std::size_t{10});
    }

    void aFailingReadIsAnError() {
        const QTemporaryDir folder;
        FaultyFileSystem files({FileCall::Read, 1});
        Spool spool(files, folder.filePath("0.spool").toStdString());
        QVERIFY(spool.append(FrameType::Events, Bytes(50)));
        QVERIFY(!spool.read(0, 1000));
        QCOMPARE(spool.read(0, 1000)->size(), std::size_t{67});  // the next attempt succeeds
    }

private:
    /// The bodies of the spool's frames from an offset on, read in odd pieces.
    static std::vector<Bytes> framesOf(const Spool& spool, std::uint64_t from) {
        FrameParser parser;
        std::vector<Bytes> bodies;
        std::uint64_t expected = from;
        for (std::uint64_t at = from; at < spool.end();) {
            const auto piece = spool.read(at, 777);
            if (!piece) return {};
            at += piece->size();
            parser.feed(*piece);
            Frame frame;
            while (parser.next(frame) == FrameParser::Outcome::Frame) {
                if (ByteReader(frame.body).fixed<std::uint64_t>() != expected) return {};
                expected += frame.size;
                bodies.emplace_back(frame.body.begin() + 8, frame.body.end());
            }
        }
        return bodies;
    }
};

QTEST_GUILESS_MAIN(FileFaultTest)
#include "file_fault_test.moc"
