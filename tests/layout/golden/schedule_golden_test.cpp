// SPDX-License-Identifier: Apache-2.0
// Every schedule's grid, its compute as torch reads it, and its lowered lists.
#include "tests/support/golden.h"
#include "tests/support/wings.h"

#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"
#include "engine/layout/schedule/validate.h"

#include <QTest>

#include <fmt/format.h>
#include <set>
#include <sstream>

using namespace shardlab::test;

namespace {

std::string picture(const Schedule& compute) {
    return fmt::format("{}\n{}\n{}", toGrid(compute), toCsv(compute), toCsv(lower(compute, {true, true, true})));
}

}  // namespace

class ScheduleGoldenTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void generatedSchedules() {
        std::istringstream cases(readGolden("layout/golden/schedules/cases.txt"));
        std::set<std::string> seen;
        std::string kind;
        int ranks = 0, chunks = 0, microbatches = 0;
        while (cases >> kind >> ranks >> chunks >> microbatches) {
            seen.insert(kind);
            const auto compute = generateSchedule(kind, {ranks, chunks, microbatches});
            QVERIFY2(compute.has_value(), kind.c_str());
            const QString name = QString("layout/golden/schedules/%1-p%2%3-m%4.txt")
                                     .arg(kind.c_str())
                                     .arg(ranks)
                                     .arg(chunks > 1 ? QString("-v%1").arg(chunks) : QString())
                                     .arg(microbatches);
            const QString difference = differenceFromGolden(name, picture(*compute));
            QVERIFY2(difference.isEmpty(), qPrintable(difference));
        }
        for (const ScheduleMethod& method : generatedMethods())
            QVERIFY2(seen.contains(std::string(method.name)), "a schedule without a golden case");
    }

    void schedulesWrittenByHand() {
        for (const char* name : {"interleaved", "v-split"}) {
            const auto compute = parseCsv(readGolden(QString("layout/golden/schedules/%1.csv").arg(name)));
            QVERIFY2(compute.has_value(), compute ? "" : compute.error().text().c_str());
            QVERIFY(validate(*compute).has_value());
            const QString difference =
                differenceFromGolden(QString("layout/golden/schedules/%1.txt").arg(name), picture(*compute));
            QVERIFY2(difference.isEmpty(), qPrintable(difference));
        }
    }

    void refusals() {
        Schedule missing = *generateSchedule("1f1b", {4, 1, 6});
        missing.ranks[2].erase(missing.ranks[2].begin() + 3);
        Schedule late = lower(*generateSchedule("1f1b", {4, 1, 6}), {});
        std::swap(late.ranks[1][2], late.ranks[1][4]);
        const Schedule circle = *parseCsv(
            "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_"
            "B1\n");
        std::string text;
        for (const Schedule* each : std::initializer_list<const Schedule*>{&missing, &late, &circle}) {
            const Status status = validate(*each);
            QVERIFY(!status);
            text += status.error().text() + "\n\n";
        }
        const QString difference = differenceFromGolden("layout/golden/schedules/refusals.txt", text);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }
};

QTEST_GUILESS_MAIN(ScheduleGoldenTest)
#include "schedule_golden_test.moc"
