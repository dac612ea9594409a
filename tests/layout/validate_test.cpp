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
#include <functional>

using namespace shardlab::test;

namespace {

constexpr LowerOptions everything{true, true, true};

Schedule lowered(const char* kind, int ranks, int microbatches) {
    return lower(*generateSchedule(kind, {ranks, 1, microbatches}), everything);
}

std::vector<Action>& list(Schedule& schedule, int rank) { return schedule.ranks[static_cast<std::size_t>(rank)]; }

std::size_t placeOf(Schedule& schedule, int rank, const char* text) {
    const auto found = std::ranges::find(list(schedule, rank), *parseAction(text));
    if (found == list(schedule, rank).end()) qFatal("no %s on rank %d", text, rank);
    return static_cast<std::size_t>(found - list(schedule, rank).begin());
}

void erase(Schedule& schedule, int rank, const char* text) {
    list(schedule, rank)
        .erase(list(schedule, rank).begin() + static_cast<std::ptrdiff_t>(placeOf(schedule, rank, text)));
}

void exchange(Schedule& schedule, int rank, const char* a, const char* b) {
    std::swap(list(schedule, rank)[placeOf(schedule, rank, a)], list(schedule, rank)[placeOf(schedule, rank, b)]);
}

/// Two chunks on each of two ranks, stage c·2 + r, written by hand: interleaved 1F1B with 2 microbatches.
constexpr const char* interleaved = "0F0,0F1,2F0,2F1,2B0,2B1,0B0,0B1\n"
                                    "1F0,1F1,3F0,3B0,3F1,3B1,1B0,1B1\n";

/// V-shaped: rank 0 holds stages 0 and 3, rank 1 holds 1 and 2; backward split into input and weight gradients.
constexpr const char* vShaped = "0F0,0F1,3F0,3I0,3W0,3F1,3I1,3W1,0I0,0I1,0W0,0W1\n"
                                "1F0,2F0,1F1,2F1,2I0,1I0,2W0,2I1,1I1,1W0,2W1,1W1\n";

}  // namespace

class ValidateTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void corruptionIsRefused_data() {
        using Corruption = std::function<void(Schedule&)>;
        QTest::addColumn<Corruption>("corrupt");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, Corruption corrupt, const char* says) {
            QTest::newRow(name) << corrupt << QString(says);
        };
        row(
            "forward missing", [](Schedule& s) { erase(s, 1, "1F2"); }, "rank 1, 1F2");
        row(
            "backward missing", [](Schedule& s) { erase(s, 2, "2B0"); }, "every forward has a backward");
        row(
            "forward twice", [](Schedule& s) { list(s, 0).push_back(*parseAction("0F1")); }, "it stands twice");
        row(
            "stage of another rank", [](Schedule& s) { list(s, 0).push_back(*parseAction("1R0")); },
            "stage 1 lies on pipeline rank 1");
        row(
            "no such stage", [](Schedule& s) { list(s, 0).push_back(*parseAction("7F0")); }, "there is no stage 7");
        row(
            "no such microbatch", [](Schedule& s) { list(s, 0).push_back(*parseAction("0R9")); },
            "there is no microbatch 9");
        row(
            "no action", [](Schedule& s) { list(s, 0).push_back({}); }, "it is no action");
        row(
            "backward before forward", [](Schedule& s) { exchange(s, 3, "3F1", "3B1"); },
            "a backward needs what its forward left");
        row(
            "B and I", [](Schedule& s) { list(s, 0).push_back(*parseAction("0I0")); }, "makes the input gradient too");
        row(
            "B and W", [](Schedule& s) { list(s, 0).push_back(*parseAction("0W0")); }, "makes the weight gradient too");
        row(
            "I without W", [](Schedule& s) { list(s, 0)[placeOf(s, 0, "0B0")].kind = ActionKind::InputGrad; }, "0W0");
        row(
            "W without I", [](Schedule& s) { list(s, 0)[placeOf(s, 0, "0B0")].kind = ActionKind::WeightGrad; }, "0I0");
        row(
            "recomputed too late", [](Schedule& s) { list(s, 0).push_back(*parseAction("0R0")); }, "for the backward");
        row(
            "send missing", [](Schedule& s) { erase(s, 0, "0SEND_F1"); }, "1RECV_F1 waits for its other end");
        row(
            "receive missing", [](Schedule& s) { erase(s, 0, "0RECV_B3"); }, "1SEND_B3 waits for its other end");
        row(
            "sent before computed", [](Schedule& s) { exchange(s, 1, "1F0", "1SEND_F0"); }, "nothing yet to send");
        row(
            "used before received", [](Schedule& s) { exchange(s, 1, "1RECV_F0", "1F0"); },
            "its input has not been received");
        row(
            "message out of the pipeline", [](Schedule& s) { list(s, 3).push_back(*parseAction("3SEND_F0")); },
            "no pipeline rank at its other end");
        row(
            "reduced too early", [](Schedule& s) { exchange(s, 0, "0B3", "0REDUCE_GRAD"); },
            "actions of its stage follow");
        row(
            "reduction missing", [](Schedule& s) { erase(s, 2, "2REDUCE_GRAD"); }, "all take part");
        row(
            "tied reduction missing", [](Schedule& s) { erase(s, 3, "3REDUCE_TIED"); }, "all take part");
        row(
            "tied reduction in the middle",
            [](Schedule& s) {
                list(s, 1).push_back({ActionKind::ReduceTied, 1});
            },
            "share an embedding");
        row(
            "norm missing", [](Schedule& s) { erase(s, 2, "2REDUCE_NORM"); }, "other pipeline ranks have it");
        row(
            "norm before the reduction", [](Schedule& s) { exchange(s, 2, "2REDUCE_GRAD", "2REDUCE_NORM"); },
            "whole gradient");
        row(
            "step before the norm", [](Schedule& s) { exchange(s, 2, "2REDUCE_NORM", "2STEP"); },
            "clipping needs the norm");
        row(
            "step before the last backward", [](Schedule& s) { exchange(s, 0, "0B3", "0STEP"); },
            "actions of its stage follow");
        row(
            "step missing", [](Schedule& s) { erase(s, 1, "1STEP"); }, "all take part");
    }
    void corruptionIsRefused() {
        QFETCH(std::function<void(Schedule&)>, corrupt);
        QFETCH(QString, says);
        Schedule schedule = lowered("1f1b", 4, 4);
        QVERIFY(validate(schedule).has_value());
        corrupt(schedule);
        const Status status = validate(schedule);
        QVERIFY(!status.has_value());
        const QString text = QString::fromStdString(status.error().text());
        QVERIFY2(text.contains(says), qPrintable(text));
        QVERIFY2(text.contains("rank 0 |") && text.contains('['), qPrintable(text));  // the grid and its marked cell
    }

    void copiesOutOfOrderAreRefused_data() {
        using Corruption = std::function<void(Schedule&)>;
        QTest::addColumn<Corruption>("corrupt");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, Corruption corrupt, const char* says) {
            QTest::newRow(name) << corrupt << QString(says);
        };
        row(
            "gradients missing", [](Schedule& s) { erase(s, 1, "1OFFLOAD_GRAD"); }, "all take part");
        row(
            "weights missing", [](Schedule& s) { erase(s, 2, "2RELOAD_PARAM"); }, "all take part");
        row(
            "gradients before the last backward", [](Schedule& s) { exchange(s, 0, "0B3", "0OFFLOAD_GRAD"); },
            "actions of its stage follow");
        row(
            "gradients before their reduction", [](Schedule& s) { exchange(s, 1, "1REDUCE_GRAD", "1OFFLOAD_GRAD"); },
            "the host updates with the averaged gradient");
        row(
            "gradients before the tied reduction", [](Schedule& s) { exchange(s, 3, "3REDUCE_TIED", "3OFFLOAD_GRAD"); },
            "the host updates with the whole gradient");
        row(
            "gradients after the step", [](Schedule& s) { exchange(s, 0, "0OFFLOAD_GRAD", "0STEP"); },
            "the host updates with gradients that are there");
        row(
            "weights before the step", [](Schedule& s) { exchange(s, 1, "1STEP", "1RELOAD_PARAM"); },
            "what comes back is what it updates");
    }
    void copiesOutOfOrderAreRefused() {
        QFETCH(std::function<void(Schedule&)>, corrupt);
        QFETCH(QString, says);
        LowerOptions options{true, true, true};
        options.offload = true;
        Schedule schedule = lower(*generateSchedule("1f1b", {4, 1, 4}), options);
        QVERIFY(validate(schedule).has_value());
        corrupt(schedule);
        const Status status = validate(schedule);
        QVERIFY(!status.has_value());
        QVERIFY2(QString::fromStdString(status.error().text()).contains(says), status.error().text().c_str());
    }

    /// Parameters on the host: they come before whoever reads or gathers them, and updated ones do not come back.
    void fetchesComeBeforeTheirReaders() {
        for (const bool gathers : {false, true})
            for (const char* kind : {"1f1b", "zb-h1", "interleaved-1f1b"}) {
                LowerOptions options{gathers, true, true};
                options.zero = 3;
                options.offload = options.fetch = true;
                const int chunks = kind == std::string("interleaved-1f1b") ? 2 : 1;
                const Schedule schedule = lower(*generateSchedule(kind, {4, chunks, 4}), options);
                const Status valid = validate(schedule);
                QVERIFY2(valid.has_value(), valid ? "" : valid.error().text().c_str());
                for (const std::vector<Action>& actions : schedule.ranks) {
                    QCOMPARE(std::ranges::count(actions, ActionKind::ReloadWeights, &Action::kind), 0);
                    for (std::size_t i = 0; i < actions.size(); ++i) {
                        const bool forward = actions[i].kind == ActionKind::Forward;
                        if (!forward && !givesInputGrad(actions[i].kind)) continue;
                        const auto found = [&](ActionKind wanted) {
                            const Action action{wanted, actions[i].stage, actions[i].microbatch};
                            return std::ranges::find(actions, action) - actions.begin();
                        };
                        const auto fetch = found(forward ? ActionKind::FetchForward : ActionKind::FetchBackward),
                                   gather = found(forward ? ActionKind::GatherForward : ActionKind::GatherBackward);
                        QVERIFY(fetch < static_cast<std::ptrdiff_t>(i));
                        QCOMPARE(gather < static_cast<std::ptrdiff_t>(actions.size()), gathers);
                        if (gathers) QCOMPARE(gather, fetch + 1);
                    }
                }
                const auto refuses = [&](const char* one, const char* other, const char* says) {
                    Schedule wrong = schedule;
                    exchange(wrong, 1, one, other);
                    const Status status = validate(wrong);
                    QVERIFY(!status.has_value());
                    QVERIFY2(QString::fromStdString(status.error().text()).contains(says),
                             status.error().text().c_str());
                };
                refuses("1FETCH_F0", "1F0", "it runs beside it");
                if (gathers) refuses("1FETCH_F0", "1GATHER_F0", "what is gathered must have come from the host");
            }
    }

    void swapsOutOfOrderAreRefused_data() {
        using Corruption = std::function<void(Schedule&)>;
        QTest::addColumn<Corruption>("corrupt");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, Corruption corrupt, const char* says) {
            QTest::newRow(name) << corrupt << QString(says);
        };
        row(
            "nothing out", [](Schedule& s) { erase(s, 0, "0SWAP_OUT1"); }, "nothing of it is on the host");
        row(
            "never back", [](Schedule& s) { erase(s, 1, "1SWAP_IN0"); }, "its backward needs what is on the host");
        row(
            "out twice", [](Schedule& s) { list(s, 0).push_back(*parseAction("0SWAP_OUT0")); }, "it stands twice");
        row(
            "out before the forward", [](Schedule& s) { exchange(s, 0, "0F1", "0SWAP_OUT1"); },
            "its forward has left nothing yet");
        row(
            "back before it goes", [](Schedule& s) { exchange(s, 0, "0SWAP_FREE2", "0SWAP_IN2"); },
            "it has not left the device yet");
        const auto backAfter = [](Schedule& s, const char* other) {
            erase(s, 0, "0SWAP_IN0");
            list(s, 0).insert(list(s, 0).begin() + static_cast<std::ptrdiff_t>(placeOf(s, 0, other)) + 1,
                              *parseAction("0SWAP_IN0"));
        };
        row(
            "back after the backward", [=](Schedule& s) { backAfter(s, "0B0"); }, "it needs what is on the host");
        row(
            "back at once", [=](Schedule& s) { backAfter(s, "0SWAP_OUT0"); }, "it has not left the device yet");
        row(
            "never free", [](Schedule& s) { erase(s, 0, "0SWAP_FREE1"); }, "it comes back to where it still is");
        row(
            "free before it goes", [](Schedule& s) { exchange(s, 0, "0SWAP_OUT1", "0SWAP_FREE1"); },
            "nothing of it is on the host yet");
        row(
            "free and never out",
            [](Schedule& s) {
                erase(s, 0, "0SWAP_OUT1");
                erase(s, 0, "0SWAP_IN1");
            },
            "nothing of it is on the host");
    }
    void swapsOutOfOrderAreRefused() {
        QFETCH(std::function<void(Schedule&)>, corrupt);
        QFETCH(QString, says);
        LowerOptions options{true, true, true};
        options.swap = true;
        Schedule schedule = lower(*generateSchedule("1f1b", {4, 1, 6}), options);
        QVERIFY(validate(schedule).has_value());
        corrupt(schedule);
        const Status status = validate(schedule);
        QVERIFY(!status.has_value());
        QVERIFY2(QString::fromStdString(status.error().text()).contains(says), status.error().text().c_str());
    }

    /// HSDP: each stage's parts are summed once, beside its last backward, which scatters them.
    void copiesSumWhatTheLastBackwardScatters() {
        for (const int zero : {1, 2, 3})
            for (const char* kind : {"1f1b", "zb-h1", "interleaved-1f1b"}) {
                LowerOptions options{true, true, true};
                options.zero = zero;
                options.copies = true;
                const int chunks = kind == std::string("interleaved-1f1b") ? 2 : 1;
                Schedule schedule = lower(*generateSchedule(kind, {4, chunks, 4}), options);
                const Status valid = validate(schedule);
                QVERIFY2(valid.has_value(), valid ? "" : valid.error().text().c_str());
                for (const std::vector<Action>& actions : schedule.ranks) {
                    QCOMPARE(std::ranges::count(actions, ActionKind::ReduceParts, &Action::kind), chunks);
                    for (auto at = actions.begin(); at != actions.end(); ++at) {
                        if (at->kind != ActionKind::ReduceParts) continue;
                        const auto last = std::find_if(actions.rbegin(), actions.rend(), [&](const Action& action) {
                            return endsMicrobatch(action.kind) && action.stage == at->stage;
                        });
                        QCOMPARE(at->microbatch, last->microbatch);
                        QCOMPARE(*(at + 1), *last);
                        QCOMPARE(*(at - 1), (Action{ActionKind::ScatterGradients, at->stage, at->microbatch}));
                    }
                }
                erase(schedule, 2, "2SCATTER_GRAD3");
                const Status status = validate(schedule);
                QVERIFY(!status.has_value());
                QVERIFY2(QString::fromStdString(status.error().text()).contains("copies sum the parts that it leaves"),
                         status.error().text().c_str());
            }
    }

    /// Each microbatch that lies unused for two actions or more, and no other; back one action ahead.
    void whatIsUnusedForAWhileIsSwapped() {
        LowerOptions options;
        options.swap = true;
        for (const char* kind : {"gpipe", "1f1b", "zb-h1", "interleaved-1f1b"})
            for (const int pipeline : {1, 2, 4}) {
                const auto compute =
                    generateSchedule(kind, {pipeline, kind == std::string("interleaved-1f1b") ? 2 : 1, 8});
                if (!compute) continue;
                const Schedule swapped = lower(*compute, options);
                QVERIFY(validate(swapped).has_value());
                for (std::size_t rank = 0; rank < swapped.ranks.size(); ++rank) {
                    const std::vector<Action>& computes = compute->ranks[rank];
                    const std::vector<Action>& actions = swapped.ranks[rank];
                    const auto at = [&](const Action& action) {
                        return static_cast<int>(std::ranges::find(actions, action) - actions.begin());
                    };
                    for (std::size_t f = 0; f < computes.size(); ++f) {
                        if (computes[f].kind != ActionKind::Forward) continue;
                        std::size_t b = f;
                        while (!givesInputGrad(computes[b].kind) || computes[b].stage != computes[f].stage ||
                               computes[b].microbatch != computes[f].microbatch)
                            ++b;
                        const int out = at({ActionKind::SwapOut, computes[f].stage, computes[f].microbatch});
                        const int in = at({ActionKind::SwapIn, computes[f].stage, computes[f].microbatch});
                        const bool wanted = b - f > 2;
                        QCOMPARE(out < static_cast<int>(actions.size()), wanted);
                        QCOMPARE(in < static_cast<int>(actions.size()), wanted);
                        if (!wanted) continue;
                        QCOMPARE(out, at(computes[f]) + 1);
                        const int free = at({ActionKind::SwapFree, computes[f].stage, computes[f].microbatch});
                        QVERIFY(free > at(computes[f + 1]) && free < in && in < at(computes[b - 1]));
                        for (int i = free + 1; i < at(computes[f + 2]); ++i)
                            QVERIFY(isSwap(actions[static_cast<std::size_t>(i)].kind));
                        for (int i = in + 1; i < at(computes[b - 1]); ++i)
                            QVERIFY(isSwap(actions[static_cast<std::size_t>(i)].kind));
                    }
                }
            }
    }

    void misshapesAreRefused() {
        Schedule schedule = *generateSchedule("gpipe", {2, 1, 2});
        for (const auto& change : std::vector<std::function<void(Schedule&)>>{
                 [](Schedule& s) { s.ranks.clear(); }, [](Schedule& s) { s.rankOfStage.clear(); },
                 [](Schedule& s) { s.microbatches = 0; }, [](Schedule& s) { s.microbatches = 1 << 30; },
                 [](Schedule& s) { s.rankOfStage[1] = 2; }, [](Schedule& s) { s.rankOfStage[1] = -1; },
                 [](Schedule& s) { s.rankOfStage[1] = 0; }, [](Schedule& s) { s.ranks[1].clear(); }}) {
            Schedule wrong = schedule;
            change(wrong);
            QVERIFY(!validate(wrong));
        }
    }

    void computeThatWaitsInACircleIsNamed() {
        // Rank 0 wants the gradient of microbatch 0 before it forwards 1; rank 1 wants the input of 1 first.
        const Schedule schedule = *parseCsv("0F0,0B0,0F1,0B1\n1F1,1F0,1B0,1B1\n");
        const Status status = validate(schedule);
        QVERIFY(!status);
        const QString text = QString::fromStdString(status.error().text());
        QVERIFY2(text.contains("pipeline rank 0 waits at 0B0 for stage 1 on pipeline rank 1, which waits at 1F1"),
                 qPrintable(text));
    }

    void blockingDeadlockNamesWhoWaitsForWhom() {
        // Everything is in order for computing; but both ranks send before they receive.
        const Schedule schedule = *parseCsv("0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
                                            "1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n");
        const Status status = validate(schedule);
        QVERIFY(!status);
        const QString text = QString::fromStdString(status.error().text());
        QVERIFY2(
            text.contains("pipeline rank 0 waits at 0SEND_F1 for rank 1; pipeline rank 1 waits at 1SEND_B0 for rank 0"),
            qPrintable(text));
        QVERIFY2(text.contains("[0SEND_F1]"), qPrintable(text));
    }

    void messagesThatCrossAreRefusedInGroups() {
        // Tags would tell the two apart, groups do not.
        const Schedule schedule = *parseCsv("0F0,0F1,0SEND_F0,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
                                            "1RECV_F1,1RECV_F0,1F0,1F1,1B0,1SEND_B0,1B1,1SEND_B1\n");
        QVERIFY(!validate(schedule));
    }

    void reductionsThatCrossAreADeadlock() {
        // Rank 0 is at the norm, rank 1 waits for the shared embedding.
        Schedule schedule = lowered("1f1b", 2, 2);
        QVERIFY(validate(schedule).has_value());
        auto& first = list(schedule, 0);
        const auto tied = first.begin() + static_cast<std::ptrdiff_t>(placeOf(schedule, 0, "0REDUCE_TIED"));
        std::iter_swap(tied, tied + 1);
        QVERIFY(!validate(schedule));
    }

    void severalStagesOfARankAndSplitBackwards() {
        for (const char* csv : {interleaved, vShaped}) {
            const Schedule schedule = *parseCsv(csv);
            const Status plain = validate(schedule);
            QVERIFY2(plain.has_value(), plain ? "" : plain.error().text().c_str());
            const Schedule full = lower(schedule, everything);
            const Status status = validate(full);
            QVERIFY2(status.has_value(), status ? "" : status.error().text().c_str());
            int messages = 0, reduces = 0, steps = 0, tied = 0;
            for (const auto& actions : full.ranks)
                for (const Action& action : actions) {
                    messages += isSend(action.kind);
                    reduces += action.kind == ActionKind::ReduceGradients;
                    steps += action.kind == ActionKind::OptimizerStep;
                    tied += action.kind == ActionKind::ReduceTied;
                }
            const bool folded = schedule.rankOfStage[2] == 1;
            QCOMPARE(messages, folded ? 2 * 2 * 2 : 2 * 3 * 2);  // the V's lower edge stays on its rank
            QCOMPARE(reduces, 4);
            QCOMPARE(steps, 4);
            QCOMPARE(tied, folded ? 1 : 2);  // folded, rank 0 holds first and last stage and sums their gradients once
        }
    }

    void randomCorruptionNeverCrashesAndRarelyPasses() {
        const std::uint32_t seed = freshSeed();
        RandomStream random(seed, "corruption");
        int passed = 0;
        const int rounds = 3000;
        for (int i = 0; i < rounds; ++i) {
            Schedule schedule = lowered(random.below(2) ? "1f1b" : "gpipe", 1 + static_cast<int>(random.below(5)),
                                        1 + static_cast<int>(random.below(6)));
            auto& actions = schedule.ranks[random.below(static_cast<std::uint32_t>(schedule.ranks.size()))];
            const std::size_t at = random.below(static_cast<std::uint32_t>(actions.size()));
            switch (random.below(4)) {
            case 0: actions.erase(actions.begin() + static_cast<std::ptrdiff_t>(at)); break;
            case 1:
                actions.insert(actions.begin() + static_cast<std::ptrdiff_t>(
                                                     random.below(static_cast<std::uint32_t>(actions.size()))),
                               actions[at]);
                break;
            case 2: actions[at] = actionFromId(random.bits()); break;
            default: std::swap(actions[at], actions[random.below(static_cast<std::uint32_t>(actions.size()))]); break;
            }
            const Status status = validate(schedule);
            passed += status.has_value();
            if (!status) QVERIFY(!status.error().text().empty());
        }
        // What passes is a swap with itself or of neighbours that may change places, or an optimizer step left out
        // where there is one rank.
        QVERIFY2(passed < rounds / 5, qPrintable(QString::number(passed)));
    }
};

QTEST_GUILESS_MAIN(ValidateTest)
#include "validate_test.moc"
