// SPDX-License-Identifier: Apache-2.0
// Ranks that take long to begin are named, some times and not for ever.
#include "engine/base/clock.h"
#include "engine/launch/job/late_start.h"
#include "tests/support/wings.h"

#include <QTest>

#include <vector>

using namespace shardlab;
using base::nsPerSecond;

class LateStartTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whoIsMissingIsNamedWithItsHost() {
        launch::LateStart start;
        start.begin(5 * nsPerSecond);
        std::vector<launch::RankFate> ranks(4);
        ranks[0].joined = ranks[3].joined = true;
        const std::vector<std::string> hosts{"a", "a", "b", "b"};
        const auto at = [&](int seconds) { return start.look((5 + seconds) * nsPerSecond, ranks, hosts); };
        QCOMPARE(at(19), std::string());
        QCOMPARE(at(20), std::string("2 of 4 ranks have not begun after 20.0 s: rank 1 on a, rank 2 on b"));
        QCOMPARE(at(39), std::string());
        ranks[1].joined = true;
        QCOMPARE(at(40), std::string("1 of 4 ranks have not begun after 40.0 s: rank 2 on b"));
        QCOMPARE(at(79), std::string());
        start.begin(95 * nsPerSecond);  // started again: it is late anew
        QCOMPARE(at(90), std::string());
        QVERIFY(!at(110).empty());
    }

    /// Only where no process of a rank is there for five minutes on end does mpirun wait for what never comes.
    void withoutAProcessItIsStuck() {
        launch::LateStart start;
        start.begin(5 * nsPerSecond);
        const auto stuck = [&](int seconds, bool processes) {
            return start.isStuck((5 + seconds) * nsPerSecond, processes);
        };
        QVERIFY(!stuck(299, false) && stuck(300, false) && !stuck(301, true) && !stuck(600, false) &&
                stuck(601, false));
        start.begin(800 * nsPerSecond);
        QVERIFY(!stuck(800, false) && stuck(1095, false));
    }

    void ofManyTheFirstAreNamed() {
        launch::LateStart start;
        start.begin(0);
        const std::vector<launch::RankFate> ranks(1024);
        QCOMPARE(start.look(21 * nsPerSecond, ranks, {}),
                 std::string("1024 of 1024 ranks have not begun after 21.0 s: rank 0, rank 1, rank 2, rank 3, rank 4, "
                             "rank 5, rank 6, rank 7, …"));
    }
};

QTEST_GUILESS_MAIN(LateStartTest)
#include "late_start_test.moc"
