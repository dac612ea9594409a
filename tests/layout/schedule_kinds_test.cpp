// SPDX-License-Identifier: Apache-2.0
// Every registered schedule over every small shape: proved, and as good as its formulas say.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/layout/check/check.h"
#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/slots.h"
#include "engine/layout/schedule/validate.h"
#include "tests/support/wings.h"

using namespace shardlab::test;

namespace {

std::string nameOf(const ScheduleMethod& method, const ScheduleShape& shape) {
    return std::string(method.name) + " p " + std::to_string(shape.ranks) + " v " + std::to_string(shape.chunks) +
           " m " + std::to_string(shape.microbatches);
}

/// Calls visit for every shape with p 1–8, v 1–4, m 1–32 that the method schedules; the others must be refused for a
/// reason.
template <class Visit>
void forEveryShape(const ScheduleMethod& method, const Visit& visit) {
    for (int p = 1; p <= 8; ++p)
        for (int v = 1; v <= 4; ++v)
            for (int m = 1; m <= 32; ++m) {
                const ScheduleShape shape{p, v, m};
                const auto compute = generateSchedule(method.name, shape);
                const bool chunksFit = v >= method.minChunks && v <= method.maxChunks;
                const bool refused = method.refusal != nullptr && method.refusal(shape).has_value();
                QVERIFY2(compute.has_value() == (chunksFit && !refused), nameOf(method, shape).c_str());
                if (!compute) {
                    QVERIFY2(!compute.error().why.empty() && !compute.error().legal.empty(),
                             nameOf(method, shape).c_str());
                    continue;
                }
                visit(shape, *compute);
                if (QTest::currentTestFailed()) return;
            }
}

/// Most activations, each of one microbatch in one stage, that a rank holds; until W where the backward is split.
int mostHeld(const std::vector<Action>& actions, int before = 0) {
    int held = before, most = 0;
    for (const Action& action : actions) {
        if (action.kind == ActionKind::Forward) most = std::max(most, ++held);
        if (endsMicrobatch(action.kind)) --held;
    }
    return most;
}

/// Idle share of steps far from fill and drain, of a schedule that does not flush.
double steadySlotBubble(const Schedule& compute) {
    const int p = static_cast<int>(compute.ranks.size()), m = compute.microbatches;
    const std::size_t first = 1 + std::size_t((2 * p + m - 1) / m), steps = first + std::size_t(p) + 1;
    const Unrolled run = unrolled(compute, static_cast<int>(steps) + (p + m - 1) / m);
    const SlotTimes times = slotTimes(run.schedule);
    double idle = 0;
    for (std::size_t rank = 0; rank < run.borders.size(); ++rank) {
        const auto begin = [&](std::size_t step) { return times.begin[rank][run.borders[rank][step]]; };
        int busy = 0;
        for (const Action& action : compute.ranks[rank]) busy += slotsOf(action.kind);
        const auto count = static_cast<int>(steps - first);
        idle += 1 - double(busy) * count / (begin(steps) - begin(first));
    }
    return idle / static_cast<double>(run.borders.size());
}

double slotBubble(const Schedule& compute) {
    if (!compute.flushes()) return steadySlotBubble(compute);
    const SlotTimes times = slotTimes(compute);
    std::vector<int> idle(compute.ranks.size(), times.end);
    for (std::size_t rank = 0; rank < compute.ranks.size(); ++rank)
        for (const Action& action : compute.ranks[rank]) idle[rank] -= slotsOf(action.kind);
    double sum = 0;
    for (int each : idle) sum += double(each) / times.end;
    return sum / static_cast<double>(idle.size());
}

void addMethods() {
    QTest::addColumn<QString>("kind");
    for (const ScheduleMethod& method : generatedMethods())
        QTest::newRow(method.name.data()) << QString::fromUtf8(method.name.data(), qsizetype(method.name.size()));
}

}  // namespace

class ScheduleKindsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyShapeIsProved_data() { addMethods(); }
    void everyShapeIsProved() {
        QFETCH(QString, kind);
        const ScheduleMethod& method = *findScheduleMethod(kind.toStdString());
        int shapes = 0;
        forEveryShape(method, [&](const ScheduleShape& shape, const Schedule& compute) {
            ++shapes;
            const std::string name = nameOf(method, shape);
            QCOMPARE(compute.stages(), shape.ranks * shape.chunks);
            for (const Schedule& each :
                 {compute, lower(compute, {true, true, true}), forwardOnly(compute, shape.microbatches)}) {
                const Status status = validate(each);
                QVERIFY2(status.has_value(), status ? "" : (name + ": " + status.error().text()).c_str());
            }
            const Schedule lowered = lower(compute, {});
            for (std::size_t rank = 0; rank < lowered.ranks.size(); ++rank) {
                std::vector<Action> computeOnly;
                std::ranges::copy_if(lowered.ranks[rank], std::back_inserter(computeOnly),
                                     [](const Action& a) { return isCompute(a.kind); });
                QVERIFY2(computeOnly == compute.ranks[rank], name.c_str());
            }
        });
        QVERIFY(shapes >= 100);
        qInfo("%d shapes", shapes);
    }

    void bubbleIsThatOfTheory_data() { addMethods(); }
    void bubbleIsThatOfTheory() {
        QFETCH(QString, kind);
        const ScheduleMethod& method = *findScheduleMethod(kind.toStdString());
        forEveryShape(method, [&](const ScheduleShape& shape, const Schedule& compute) {
            const double theory = method.theoreticalBubble(shape), counted = slotBubble(compute);
            QVERIFY2(std::abs(theory - counted) < 1e-12,
                     (nameOf(method, shape) + ": " + std::to_string(theory) + ", counted " + std::to_string(counted))
                         .c_str());
        });
    }

    /// The papers' formulas count microbatches of one stage; a whole rank is v of them.
    void holdsWhatTheFormulaSays() {
        using Formula = int (*)(int p, int v, int m, int r);
        const std::map<std::string, Formula> formulas{
            {"naive", [](int, int, int, int) { return 1; }},
            {"gpipe", [](int, int, int m, int) { return m; }},
            {"1f1b", [](int p, int, int m, int r) { return std::min(m, p - r); }},
            {"looped-bfs", [](int, int v, int m, int) { return v * m; }},
            {"interleaved-1f1b",
             [](int p, int v, int m, int r) {
                 int round = std::min(p, m);  // the shortest with which the last has as many as there are ranks
                 while (m > p && m % round > 0 && m % round < p) ++round;
                 return std::min(v * m, (v - 1) * round + 2 * (p - r - 1) + 1);
             }},
            {"zb-h1", [](int p, int, int m, int) { return std::min(m, p); }},
            {"pipedream", [](int p, int, int, int r) { return p - r; }},
            {"pipedream-2bw", [](int p, int, int, int r) { return p - r; }},
        };
        for (const auto& [name, formula] : formulas)
            forEveryShape(*findScheduleMethod(name), [&, formula = formula](const ScheduleShape& shape,
                                                                            const Schedule& compute) {
                for (int rank = 0; rank < shape.ranks; ++rank) {
                    const auto at = static_cast<std::size_t>(rank);
                    const int held = mostHeld(compute.ranks[at], compute.flushes() ? 0 : compute.ahead[at]);
                    const int expected = formula(shape.ranks, shape.chunks, shape.microbatches, rank);
                    QVERIFY2(held == expected, qPrintable(QString("%1 p %2 v %3 m %4 rank %5 holds %6 instead of %7")
                                                              .arg(name.c_str())
                                                              .arg(shape.ranks)
                                                              .arg(shape.chunks)
                                                              .arg(shape.microbatches)
                                                              .arg(rank)
                                                              .arg(held)
                                                              .arg(expected)));
                }
            });
        // Bounds over all ranks: p whole microbatches, and one more.
        for (const auto& [name, more] : std::map<std::string, int>{{"zb-v", 0}, {"dualpipe-v", 1}})
            forEveryShape(*findScheduleMethod(name), [&, more = more](const ScheduleShape& shape,
                                                                      const Schedule& compute) {
                for (const auto& actions : compute.ranks)
                    QVERIFY2(mostHeld(actions) <= 2 * shape.ranks + more, qPrintable(QString("%1 p %2 m %3 holds %4")
                                                                                         .arg(name.c_str())
                                                                                         .arg(shape.ranks)
                                                                                         .arg(shape.microbatches)
                                                                                         .arg(mostHeld(actions))));
            });
    }

    /// Without a flush: the versions of the papers, kept from the fill on; the proof sees what is missing.
    void weightVersionsAreThoseOfThePapers() {
        for (const bool sync : {false, true})
            for (int p = 1; p <= 8; ++p)
                for (int m : {1, 2, 7, 8, 32})
                    for (const char* kind : {"pipedream", "pipedream-2bw"}) {
                        const bool two = std::string(kind) == "pipedream-2bw";
                        const auto compute = generateSchedule(kind, {p, 1, m, 0, {}, sync});
                        QCOMPARE(compute.has_value(), !(two && (sync || m < p)));
                        if (!compute) continue;
                        const bool buckets = m % 2 == 0;
                        Schedule lowered = lower(*compute, {p % 2 == 0, false, false, buckets});
                        const Status status = validate(lowered);
                        QVERIFY2(status.has_value(), status ? "" : status.error().text().c_str());
                        for (int r = 0; r < p; ++r) {
                            const int expected = two ? 2 : sync ? p : p - r;
                            int kept = 0, most = 0, steps = 0;
                            for (const auto* list : {&lowered.fill[std::size_t(r)], &lowered.ranks[std::size_t(r)]})
                                for (const Action& action : *list) {
                                    kept += (action.kind == ActionKind::StashWeights) -
                                            (action.kind == ActionKind::FreeWeights);
                                    most = std::max(most, 1 + kept);
                                    steps += action.kind == ActionKind::OptimizerStep;
                                }
                            QCOMPARE(most, expected);
                            QCOMPARE(kept, expected - 1);
                            QCOMPARE(steps, two ? 1 : m);
                        }
                        // Each average is needed: of an update's gradients at once, or in buckets.
                        const ActionKind averages = buckets ? ActionKind::ReduceBuckets : ActionKind::ReduceGradients;
                        for (int r = 0; r < p; ++r) {
                            Schedule without = lowered;
                            std::vector<Action>& list = without.ranks[std::size_t(r)];
                            QCOMPARE(std::ranges::count(list, averages, &Action::kind),
                                     p % 2 != 0 ? 0 : lowered.updates);
                            if (p % 2 != 0) continue;
                            list.erase(std::ranges::find(list, averages, &Action::kind));
                            QVERIFY(!validate(without));
                        }
                        // So is each stash and free, where it stands.
                        if (p == 1 && !two) continue;
                        std::vector<Action>& list = lowered.ranks[0];
                        const auto stash = std::ranges::find(list, ActionKind::StashWeights, &Action::kind);
                        const Action taken = *stash;
                        list.erase(stash);
                        QVERIFY(!validate(lowered));
                        list.push_back(taken);
                        QVERIFY(!validate(lowered));
                    }
    }

    void theFormulaShownIsThatOfTheShape() {
        const auto formula = [](const char* kind, ScheduleShape shape) {
            return std::string(bubbleFormula(*findScheduleMethod(kind), shape));
        };
        QCOMPARE(formula("interleaved-1f1b", {4, 2, 8}), std::string("(p−1)/(vm+p−1)"));
        QCOMPARE(formula("zb-h1", {4, 1, 4}), std::string("(p−1)/(3m+p−1)"));
        QVERIFY(formula("interleaved-1f1b", {4, 2, 6}).starts_with("counted from the order"));
        QVERIFY(formula("zb-h1", {4, 1, 3}).starts_with("counted from the order"));
        for (const ScheduleMethod& method : scheduleMethods()) QVERIFY(!bubbleFormula(method, {0, 0, 0}).empty());
    }

    void splittingTheBackwardLowersTheBubble() {
        for (int p = 2; p <= 8; ++p)
            for (int m = p; m <= 32; ++m) {
                const auto bubble = [&](const char* kind, int chunks) {
                    return findScheduleMethod(kind)->theoreticalBubble({p, chunks, m});
                };
                QVERIFY(bubble("zb-h1", 1) < bubble("1f1b", 1) / 2);
                QVERIFY(bubble("zb-greedy", 1) <= bubble("zb-h1", 1) + 1e-12);
                if (m >= 2 * p) {
                    QVERIFY(bubble("zb-v", 2) < bubble("interleaved-1f1b", 2));
                    QVERIFY(bubble("zb-v", 2) < bubble("zb-h1", 1));
                }
            }
    }

    void limitIsKeptAndMoreMemoryIsNeverSlower() {
        for (int p = 1; p <= 8; ++p)
            for (int m : {1, 3, 8, 17, 32}) {
                double before = 1;
                for (int limit = 1; limit <= 2 * p; ++limit) {
                    const auto compute = generateSchedule("zb-greedy", {p, 1, m, limit});
                    QVERIFY(compute.has_value());
                    QVERIFY(validate(lower(*compute, {true, true, true})).has_value());
                    for (const auto& actions : compute->ranks) QVERIFY(mostHeld(actions) <= limit);
                    const double bubble = slotBubble(*compute);
                    QVERIFY2(bubble <= before + 1e-12, qPrintable(QString("p %1 m %2 limit %3: %4 after %5")
                                                                      .arg(p)
                                                                      .arg(m)
                                                                      .arg(limit)
                                                                      .arg(bubble)
                                                                      .arg(before)));
                    before = bubble;
                }
            }
        const auto refused = generateSchedule("1f1b", {4, 1, 8, 2});
        QVERIFY(!refused && refused.error().why.english().find("fixes how many") != std::string::npos);
    }

    void refusalsOfALayoutNameTheFieldAndWhatIsLegal() {
        struct Case {
            const char* kind;
            int chunks, pipeline, layers, global, micro, inFlight;
            const char* pointer;
            const char* legal;
        };
        for (const Case& each :
             {Case{"interleaved-1f1b", 1, 4, 16, 32, 2, 0, "/schedule/chunks",
                   "2 to 1024; 2 or 4 split 16 layers evenly over 4 ranks"},
              Case{"zb-v", 3, 4, 24, 32, 2, 0, "/schedule/chunks", "2"},
              Case{"1f1b", 2, 4, 16, 32, 2, 0, "/schedule/chunks", "1"},
              Case{"dualpipe-v", 2, 4, 16, 24, 6, 0, "/batch/micro", "8 microbatches or more; so with micro 1, 2 or 3"},
              Case{"pipedream-2bw", 1, 4, 16, 6, 2, 0, "/batch/micro", "4 microbatches or more; so with micro 1"},
              Case{"1f1b", 1, 4, 16, 32, 2, 3, "/schedule/in_flight", "0"}}) {
            Layout layout;
            layout.model.layers = each.layers;
            layout.parallel.data = 1;
            layout.parallel.pipeline = each.pipeline;
            layout.cluster.hosts[0].devices = each.pipeline;
            layout.schedule.kind = each.kind;
            layout.schedule.chunks = each.chunks;
            layout.schedule.inFlight = each.inFlight;
            layout.batch = {each.global, each.micro};
            if (!findScheduleMethod(each.kind)->flushes) layout.optimizer.clip = 0;
            const std::vector<Fault> faults = check(layout, scheduleMethods());
            QVERIFY2(faults.size() == 1, toText(faults).c_str());
            QCOMPARE(faults[0].pointer, std::string(each.pointer));
            QCOMPARE(faults[0].legal.english(), std::string(each.legal));
            QVERIFY(!faults[0].why.empty());
        }
    }
};

QTEST_GUILESS_MAIN(ScheduleKindsTest)
#include "schedule_kinds_test.moc"
