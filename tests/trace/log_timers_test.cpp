// SPDX-License-Identifier: Apache-2.0
// Megatron's timers in a log, as its megatron/core/timers.py prints them: the least and the most of all ranks, the most
// alone, or each rank's (--timing-log-option).
#include "tests/support/wings.h"
#include "tests/trace/imported.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <fstream>

using namespace shardlab::test;

class LogTimersTest : public QObject {
    Q_OBJECT

    static Imported imported(const std::string& log) {
        const QTemporaryDir folder;
        const auto path = std::filesystem::path(folder.path().toStdString());
        std::ofstream(path / "train.log", std::ios::binary) << log;
        return importAll({.files = {path / "train.log"}, .out = path / "run.shardlab"});
    }
    static std::string line(int step) {
        return fmt::format(" iteration {:8}/    5000 | elapsed time per iteration (ms): 500.0 | lm loss: 9.0E+00 |\n",
                           step);
    }

private Q_SLOTS:
    void leastAndMostAreCountersOfTheirStep() {
        const Imported run = imported(
            line(1) +
            "(min, max) time across ranks (ms):\n    forward-backward ...............................: (812.50, "
            "813.25)\n"
            "    optimizer-inner-step ...........................: (4.00, 5.50)\n" +
            line(2) + "max time across ranks (ms):\n    forward-backward ...............................: 811.00\n");
        QVERIFY(run.run);
        const auto least = run.named("forward-backward, least (ms)"), most = run.named("forward-backward, most (ms)");
        QCOMPARE(least.size(), std::size_t{1});
        QCOMPARE(least.front().value, 812.5);
        QCOMPARE(most.size(), std::size_t{2});
        QCOMPARE(most.back().value, 811.0);
        QCOMPARE(most.back().step, 2);
        QCOMPARE(run.named("optimizer-inner-step, most (ms)").front().value, 5.5);
    }

    /// Lines like those of timers say nothing before the first step, nor where no heading stands above them.
    void thoseOfEachRankAreItsOwn() {
        const Imported run = imported(
            "times across ranks (ms):\n  optimizer:\n     rank  0: 99.00\n" + line(1) +
            "times across ranks (ms):\n  forward-backward:\n     rank  0: 812.50\n     rank  1: 813.25\n"
            "  optimizer:\n     rank  1: 4.00\nother words\n     rank  1: 5.00\n" +
            line(2) + "times across ranks (ms):\n  optimizer:\n     rank  0: 3.00\n     rank x: 1\n" + line(3));
        QVERIFY(run.run);
        const auto both = run.named("forward-backward (ms)"), optimizer = run.named("optimizer (ms)");
        QCOMPARE(both.size(), std::size_t{2});
        QCOMPARE(both.front().value + both.back().value, 812.5 + 813.25);
        for (const Event& each : both) {
            QCOMPARE(each.value, each.rank == 0 ? 812.5 : 813.25);
            QCOMPARE(each.step, 1);
        }
        QCOMPARE(optimizer.size(), std::size_t{2});
        for (const Event& each : optimizer) {
            QCOMPARE(each.value, each.rank == 0 ? 3.0 : 4.0);
            QCOMPARE(each.step, each.rank == 0 ? 2 : 1);
        }
        QCOMPARE(run.of(EventKind::Step).size(), std::size_t{6});  // three steps of two ranks
    }
};

QTEST_GUILESS_MAIN(LogTimersTest)
#include "log_timers_test.moc"
