// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/rank_arguments.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QRandomGenerator>
#include <QTest>

using namespace shardlab::test;

class RankArgumentsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void survivesArgv() {
        const quint32 seed = freshSeed();
        QRandomGenerator random(seed);
        for (int i = 0; i < 100; ++i) {
            RankArguments written;
            written.layout = "/tmp/a folder/" + std::to_string(random.generate()) + ".json";
            written.folder = "/tmp/--threads " + std::to_string(random.generate());
            written.socket = "/tmp/socket";
            written.token = std::to_string(random.generate64());
            if (random.bounded(2) == 1) written.stretch = 0.001 + 1e4 * random.generateDouble();
            written.clockOrigin = static_cast<std::int64_t>(random.generate64());
            written.oversubscribed = random.bounded(2) == 1;
            written.threads = random.bounded(1, 65);
            if (random.bounded(2) == 1) written.operationsEvery = random.bounded(1, 1000);
            if (random.bounded(2) == 1) written.profile = "/tmp/a folder/profile.json";
            written.checkpoints = "/tmp/a run " + std::to_string(random.generate()) + ".checkpoints";
            if (random.bounded(2) == 1) written.resume = written.checkpoints / "000001-step-5";
            const Result<RankArguments> read = parseRankArguments(toArgv(written));
            QVERIFY2(read, qPrintable(QString("seed %1").arg(seed)));
            QCOMPARE(read->layout, written.layout);
            QCOMPARE(read->folder, written.folder);
            QCOMPARE(read->socket, written.socket);
            QCOMPARE(read->token, written.token);
            QVERIFY(read->stretch == written.stretch);  // to the last bit: all ranks are slowed alike
            QCOMPARE(read->clockOrigin, written.clockOrigin);
            QCOMPARE(read->oversubscribed, written.oversubscribed);
            QCOMPARE(read->threads, written.threads);
            QCOMPARE(read->operationsEvery, written.operationsEvery);
            QCOMPARE(read->profile, written.profile);
            QCOMPARE(read->checkpoints, written.checkpoints);
            QCOMPARE(read->resume, written.resume);
        }
    }

    void refusesWhatIsWrong_data() {
        QTest::addColumn<std::vector<std::string>>("argv");
        using List = std::vector<std::string>;
        QTest::newRow("nothing") << List{};
        QTest::newRow("unknown") << List{"--colour", "red"};
        QTest::newRow("value missing") << List{"--layout"};
        QTest::newRow("no number") << List{"--layout", "l", "--folder", "f", "--socket", "s", "--threads", "2x"};
        QTest::newRow("zero threads") << List{"--layout", "l", "--folder", "f", "--socket", "s", "--threads", "0"};
        QTest::newRow("no operations") << List{"--layout", "l", "--folder", "f", "--socket", "s", "--operations", "0"};
        QTest::newRow("no stretch") << List{"--layout", "l", "--folder", "f", "--socket", "s", "--stretch", "0"};
        QTest::newRow("no socket") << List{"--layout", "l", "--folder", "f"};
    }
    void refusesWhatIsWrong() {
        QFETCH(std::vector<std::string>, argv);
        const Result<RankArguments> read = parseRankArguments(argv);
        QVERIFY(!read);
        QVERIFY(!read.error().what.empty() && !read.error().why.empty());
    }

    void filesLieInTheFolder() {
        RankArguments arguments;
        arguments.folder = "/tmp/job";
        QCOMPARE(arguments.statusFile(3), std::filesystem::path("/tmp/job/3.status"));
        QCOMPARE(arguments.spoolFile(12), std::filesystem::path("/tmp/job/12.spool"));
    }
};

QTEST_GUILESS_MAIN(RankArgumentsTest)
#include "rank_arguments_test.moc"
