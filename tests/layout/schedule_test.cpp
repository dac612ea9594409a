// SPDX-License-Identifier: Apache-2.0
#include "engine/base/random.h"
#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"
#include "engine/layout/schedule/validate.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace shardlab::test;

namespace {

constexpr LowerOptions everything{true, true, true};

/// The order of forwards and backwards of torch's Schedule1F1B and of Megatron, written down anew: p − r forwards
/// first, then a backward before each further forward.
std::vector<std::string> referenceOneFOneB(int ranks, int rank, int microbatches) {
    std::vector<std::string> order;
    int forward = 0, backward = 0;
    const int warmUp = std::min(ranks - rank, microbatches);
    while (forward < warmUp) order.push_back(fmt::format("{}F{}", rank, forward++));
    while (backward < microbatches) {
        order.push_back(fmt::format("{}B{}", rank, backward++));
        if (forward < microbatches) order.push_back(fmt::format("{}F{}", rank, forward++));
    }
    return order;
}

std::vector<std::string> texts(const std::vector<Action>& actions) {
    std::vector<std::string> list;
    for (const Action& action : actions) list.push_back(toText(action));
    return list;
}

}  // namespace

class ScheduleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void actionsReadAsTheyAreWritten() {
        const std::uint64_t seed = freshSeed();
        RandomStream random(static_cast<std::int64_t>(seed), "actions");
        std::set<ActionId> ids;
        for (int i = 0; i < 20000; ++i) {
            Action action;
            action.kind = static_cast<ActionKind>(1 + random.below(actionKindCount - 1));
            action.stage = static_cast<int>(random.below(65536));
            if (belongsToMicrobatch(action.kind)) action.microbatch = static_cast<int>(random.below((1 << 24) - 1));
            const Versioned versioned = actionTraits[action.kind].versioned;
            if (versioned == Versioned::Always || (versioned == Versioned::Possibly && random.below(3) == 0))
                action.version = static_cast<int>(random.below(65535));
            const auto parsed = parseAction(toText(action));
            QVERIFY2(parsed.has_value(), toText(action).c_str());
            QCOMPARE(*parsed, action);
            QCOMPARE(actionFromId(actionId(action)), action);
        }
        QCOMPARE(actionId(Action{}), ActionId{0});
        for (const char* text : {"0B2@v1", "3OFFLOAD_GRAD", "3RELOAD_PARAM", "3SWAP_OUT7", "3SWAP_FREE7", "3SWAP_IN7"})
            QCOMPARE(toText(*parseAction(text)), std::string(text));
    }

    void everyKindHasAWholeRow() {
        std::set<std::string_view> texts;
        for (std::size_t i = 1; i < actionKindCount; ++i) {
            const auto kind = static_cast<ActionKind>(i);
            const ActionTraits& row = actionTraits[kind];
            const std::string text(row.text);
            QVERIFY2(!text.empty() && texts.insert(row.text).second, text.c_str());
            QVERIFY2(!row.title.empty() && row.work != ActionWork::None, text.c_str());
            QVERIFY2((isMessage(kind) || isCompute(kind)) ==
                         (row.direction == Direction::Forward || row.direction == Direction::Backward),
                     text.c_str());
            QVERIFY2(isHostCopy(kind) == (row.direction == Direction::ToHost || row.direction == Direction::FromHost),
                     text.c_str());
            QCOMPARE(actionKindOf(row.text), kind);
        }
        const std::string legal = parseAction("nothing").error().text();
        for (const std::string_view text : texts)
            QVERIFY2(legal.find("2" + std::string(text)) != std::string::npos, legal.c_str());
        QCOMPARE(actionFromId(actionKindCount), Action{});
    }

    void wrongActionsAreRefused() {
        for (const char* text :
             {"",     "F0",    "2",       "2F",         "2f0",         "-1F0",          "02F0",   "2F00",
              "2F-1", "2F0 ",  " 2F0",    "2X0",        "65536F0",     "2F16777215",    "2STEP0", "2REDUCE_GRAD1",
              "2F0@", "2F0@v", "2F0@v-1", "2F0@v65535", "2SEND_F0@v1", "99999999999F0", "2SEND0"})
            QVERIFY2(!parseAction(text), text);
    }

    void tagsJoinTheTwoEnds() {
        std::set<int> tags;
        for (int stage = 0; stage < 7; ++stage)
            for (int microbatch = 0; microbatch < 9; ++microbatch) {
                const Action up{ActionKind::SendForward, stage, microbatch},
                    down{ActionKind::SendBackward, stage + 1, microbatch};
                QCOMPARE(otherEnd(otherEnd(up)), up);
                QCOMPARE(pairTag(up), pairTag(otherEnd(up)));
                QCOMPARE(pairTag(down), pairTag(otherEnd(down)));
                QVERIFY(tags.insert(pairTag(up)).second && tags.insert(pairTag(down)).second);
                QVERIFY(pairTag(up) >= 0 && pairTag(down) >= 0);
            }
    }

    void oneFOneBIsThatOfTorchAndMegatron() {
        for (int p = 1; p <= 8; ++p)
            for (int m = 1; m <= 20; ++m)
                for (int r = 0; r < p; ++r)
                    QCOMPARE(texts(generateSchedule("1f1b", {p, 1, m})->ranks[static_cast<std::size_t>(r)]),
                             referenceOneFOneB(p, r, m));
    }

    void wrongShapesAreRefused() {
        QVERIFY(!generateSchedule("1f1b", {0, 1, 4}));
        QVERIFY(!generateSchedule("1f1b", {4, 1, 0}));
        QVERIFY(!generateSchedule("1f1b", {4, 2, 4}));
        QVERIFY(!generateSchedule("gpipe", {60000, 1, 60000}));
        const auto unknown = generateSchedule("1fb1", {4, 1, 4});
        QVERIFY(!unknown);
        QVERIFY2(unknown.error().text().find("did you mean 1f1b") != std::string::npos, unknown.error().text().c_str());
    }

    void csvReadsAsItIsWritten() {
        for (const ScheduleMethod& method : generatedMethods()) {
            Schedule schedule = *generateSchedule(method.name, {3, method.minChunks, 6});
            schedule.kind = "custom";
            for (const Schedule& each : {schedule, lower(schedule, everything)}) {
                const auto parsed = parseCsv(toCsv(each));
                QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().text().c_str());
                QCOMPARE(*parsed, each.flushes() ? each : unrolled(each, 2).schedule);
            }
        }
    }

    void csvOfTorchIsRead() {
        // csv.writer ends lines with \r\n and leaves idle slots blank.
        const auto parsed = parseCsv("0F0,0F1,,,0B0,,0B1\r\n,1F0,1F1,1B0,1B1,,\r\n\r\n");
        QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().text().c_str());
        QCOMPARE(toCsv(*parsed), std::string("0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1\n"));
        QCOMPARE(parsed->microbatches, 2);
        QVERIFY(validate(*parsed).has_value());
    }

    void wrongCsvIsRefusedWithItsPlace() {
        const auto refused = parseCsv("0F0,0B0\n1F0,1C0\n");
        QVERIFY(!refused);
        QVERIFY2(refused.error().text().find("line 2, cell 2") != std::string::npos, refused.error().text().c_str());
        for (const char* text : {"", "\n\n", ",,,\n", "0F0\n0B0\n", "0F0,2F0\n", "65535F16777214", "0F0;0B0"})
            QVERIFY2(!parseCsv(text), text);
    }
};

QTEST_GUILESS_MAIN(ScheduleTest)
#include "schedule_test.moc"
