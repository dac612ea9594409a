// SPDX-License-Identifier: Apache-2.0
// A layout's own schedule: the same as the generated one it was made from, judged where it was changed, and lowered
// without deadlock whatever legal order it has.
#include "engine/base/random.h"
#include "engine/layout/check/check.h"
#include "engine/layout/layout_file.h"
#include "engine/predict/plan/plan.h"
#include "engine/layout/schedule/custom.h"
#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"
#include "tests/support/random_order.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>

using namespace shardlab::test;

namespace {

Layout layoutOf(std::string kind, int ranks, int chunks, int microbatches) {
    Layout layout;
    layout.model = {ModelKind::Gpt, 8, 16, 2, 16, 256, 0};
    layout.model.layers = ranks * chunks;
    layout.cluster.hosts[0].devices = ranks;
    layout.parallel.data = 1;
    layout.parallel.pipeline = ranks;
    layout.schedule.kind = std::move(kind);
    layout.schedule.chunks = chunks;
    layout.batch = {microbatches, 1};
    return layout;
}

std::vector<Fault> faultsOf(const Layout& layout) { return check(layout, scheduleMethods()); }

}  // namespace

class CustomScheduleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void editedByHandIsWhatWasGenerated() {
        int seen = 0;
        for (const ScheduleMethod& method : generatedMethods())
            for (const auto& [ranks, microbatches] : {std::pair(1, 3), {2, 4}, {4, 8}, {3, 6}}) {
                const Layout generated = layoutOf(std::string(method.name), ranks, method.minChunks, microbatches);
                const auto plan = makePlan(generated);
                if (!plan) continue;
                const Layout own = withScheduleKind(generated, customKind);
                const bool plain = std::ranges::all_of(plan->compute.ranks, [](const auto& actions) {
                    return std::ranges::all_of(actions, [](const Action& a) { return a.version < 0; });
                });
                if (!plain) continue;  // several weight versions: no order of one step alone
                QCOMPARE(own.schedule.kind, std::string("custom"));
                const auto again = makePlan(own);
                QVERIFY2(again.has_value(), again ? "" : toText(again.error()).c_str());
                QVERIFY(again->compute.ranks == plan->compute.ranks);
                QVERIFY(again->lowered.ranks == plan->lowered.ranks);
                QCOMPARE(again->stepSeconds, plan->stepSeconds);
                QVERIFY(again->memory.front().peak == plan->memory.front().peak);
                QVERIFY(generatedAgain(own, method.name) == generated);
                ++seen;
            }
        QVERIFY(seen >= 25);
    }

    void theLayoutFileCarriesIt() {
        const Layout own = withScheduleKind(layoutOf("1f1b", 2, 1, 4), customKind);
        const std::string text = writeLayout(own);
        QVERIFY2(text.find("\n      \"0F0,0F1,0B0,0F2,0B1,0F3,0B2,0B3\",\n") != std::string::npos, text.c_str());
        const auto read = parseLayout(text);
        QVERIFY(read.has_value() && read->faults.empty());
        QVERIFY(read->layout == own);
        QVERIFY(read->layout != layoutOf("1f1b", 2, 1, 4));
    }

    void everyLegalOrderIsLoweredWithoutDeadlock() {
        const std::uint32_t seed = freshSeed();
        RandomStream random(seed, "orders");
        for (int i = 0; i < 300; ++i) {
            const int ranks = 1 + static_cast<int>(random.below(4)), chunks = 1 + static_cast<int>(random.below(3));
            const int microbatches = 1 + static_cast<int>(random.below(5));
            const Schedule order = randomOrder(random, ranks, ranks * chunks, microbatches);
            const auto wrong = findMisfit(order, {ranks, chunks, microbatches});
            QVERIFY2(!wrong, wrong ? (toCsv(order) + wrong->why.english()).c_str() : "");
            const Status lowered = validate(lower(order, {true, true, true}));
            QVERIFY2(lowered.has_value(), lowered ? "" : lowered.error().text().c_str());
            const Layout own = withOwnSchedule(layoutOf("1f1b", ranks, chunks, microbatches), order);
            const auto plan = makePlan(own);
            QVERIFY2(plan.has_value(), plan ? "" : toText(plan.error()).c_str());
            QVERIFY(plan->compute == order);
        }
    }

    void whatIsWrongIsSaidOnceWithItsCell_data() {
        QTest::addColumn<QStringList>("lines");
        QTest::addColumn<QStringList>("words");
        const auto row = [](const char* name, QStringList lines, QStringList words) {
            QTest::newRow(name) << lines << words;
        };
        row("none", {}, {"no actions are listed"});
        row("unknown action", {"0F0,0F1,0B0,0B1", "1F0,1C0,1F1,1B1"}, {"line 2, cell 2: \"1C0\"", "this is no action"});
        row("too few lines", {"0F0,0F1,0B0,0B1"}, {"it has 1 line, the pipeline has 2 ranks"});
        row("a stage on two ranks", {"0F0,0F1,0B0,0B1", "1F0,0F1,1B0,1B1"},
            {"line 2, 0F1", "stage 0 stands on line 1 too"});
        row("a stage too many", {"0F0,0F1,0B0,0B1", "1F0,1B0,1F1,1B1,2F0,2B0,2F1,2B1"},
            {"it has 3 stages, pipeline × chunks is 2"});
        row("missing", {"0F0,0F1,0B0,0B1", "1F0,1B0,1F1"}, {"rank 1, 1B1", "it is missing", "[1B1]"});
        row("missing microbatch", {"0F0,0B0", "1F0,1B0"},
            {"rank 0, 0F1", "[0F1]", "2 microbatches", "the schedule has 1", "micro 2"});
        row("microbatch too many", {"0F0,0F1,0F2,0B0,0B1,0B2", "1F0,1B0,1F1,1B1,1F2,1B2"},
            {"there is no microbatch 2", "[0F2]"});
        row("twice", {"0F0,0F1,0B0,0B1,0F0", "1F0,1B0,1F1,1B1"}, {"rank 0, action 5, 0F0", "it stands twice", "[0F0]"});
        row("backward first", {"0F0,0F1,0B0,0B1", "1B0,1F0,1F1,1B1"},
            {"rank 1, action 1, 1B0", "it comes before 1F0", "[1B0]"});
        row("weight gradient alone", {"0F0,0F1,0B0,0W1", "1F0,1B0,1F1,1B1"}, {"0I1", "it is missing"});
        row("both backwards", {"0F0,0F1,0B0,0I0,0B1", "1F0,1B0,1F1,1B1"}, {"0I0", "makes the input gradient too"});
        row("deadlock", {"0F0,0B0,0F1,0B1", "1F1,1B1,1F0,1B0"}, {"deadlock: pipeline rank 0 waits at 0B0", "[0B0]"});
        row("a message", {"0F0,0SEND_F0,0F1,0B0,0B1", "1F0,1B0,1F1,1B1"},
            {"0SEND_F0", "added from the layout", "Only F, B, I and W"});
        row("a recomputation", {"0F0,0R0,0F1,0B0,0B1", "1F0,1B0,1F1,1B1"}, {"0R0", "added from the layout"});
        row("a weight version", {"0F0@v1,0F1,0B0,0B1", "1F0,1B0,1F1,1B1"}, {"0F0@v1", "one version of the weights"});
    }
    void whatIsWrongIsSaidOnceWithItsCell() {
        QFETCH(QStringList, lines);
        QFETCH(QStringList, words);
        Layout layout = layoutOf("custom", 2, 1, 2);
        for (const QString& line : lines) layout.schedule.actions.push_back(line.toStdString());
        const std::vector<Fault> faults = faultsOf(layout);
        QCOMPARE(faults.size(), std::size_t{1});
        QCOMPARE(faults.front().pointer, std::string("/schedule/actions"));
        const QString text = QString::fromStdString(toText(faults.front()));
        for (const QString& word : words) QVERIFY2(text.contains(word), qPrintable(word + " in " + text));
        QVERIFY2(!faults.front().why.empty() && !faults.front().what.empty(), qPrintable(text));
        QVERIFY2(!faults.front().legal.empty() || !faults.front().picture.empty(), qPrintable(text));
    }

    void aGeneratedScheduleTakesNoActions() {
        Layout layout = withScheduleKind(layoutOf("1f1b", 2, 1, 4), customKind);
        layout.schedule.kind = "gpipe";
        const std::vector<Fault> faults = faultsOf(layout);
        QCOMPARE(faults.size(), std::size_t{1});
        QCOMPARE(faults.front().pointer, std::string("/schedule/actions"));
        QVERIFY(faultsOf(withScheduleKind(layout, "gpipe")).empty());
    }

    void backToWhatWorks() {
        const Layout own = withScheduleKind(layoutOf("zb-v", 2, 2, 4), customKind);
        const Layout again = generatedAgain(own, "1f1b");  // which takes no two chunks
        QVERIFY(again.schedule.kind != "1f1b" && again.schedule.actions.empty());
        QVERIFY2(faultsOf(again).empty(), toText(faultsOf(again)).c_str());
    }

    void cellsAreImportedOrRefused() {
        const auto imported =
            importCsv("0UNSHARD,0F0,,0SEND_F0,\"(0F1;0B0)OVERLAP_F_B\",0WAIT_SEND_F0,0B1,0REDUCE_GRAD,0STEP\r\n"
                      "1RECV_F0, 1F0 ,1I0,1SEND_B0,1W0,1F1,1B1,1RESHARD\r\n");
        QVERIFY2(imported.has_value(), imported ? "" : imported.error().text().c_str());
        QCOMPARE(toCsv(imported->compute), std::string("0F0,0F1,0B0,0B1\n1F0,1I0,1W0,1F1,1B1\n"));
        QCOMPARE(imported->notes.size(), std::size_t{2});
        QVERIFY2(imported->notes[0].english().find("1 WAIT_SEND_F") != std::string::npos,
                 imported->notes[0].english().c_str());
        QVERIFY2(imported->notes[1].english().starts_with("1 OVERLAP_F_B"), imported->notes[1].english().c_str());
        QVERIFY(importCsv("0F0,0B0\n")->notes.empty());
        for (const char* wrong : {"", "0UNSHARD\n", "0F0,UNSHARD,0B0\n", "0F0,0UNSHARD1x,0B0\n",
                                  "(0F0;0X1)OVERLAP_F_B\n", "(0F0;0B0\n", "0F0;0B0\n"}) {
            const auto refused = importCsv(wrong);
            QVERIFY2(!refused, wrong);
            QVERIFY2(!refused.error().why.empty() && !refused.error().legal.empty(), refused.error().text().c_str());
        }
    }
};

QTEST_GUILESS_MAIN(CustomScheduleTest)
#include "custom_schedule_test.moc"
