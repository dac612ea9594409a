// SPDX-License-Identifier: Apache-2.0
// Memory as it grows within an action: a run tells it after each layer, at full speed and by a pace, whether actions
// are paced as one or layer by layer; the prediction rises with it.
#include "engine/base/random.h"
#include "engine/predict/plan/predicted_memory.h"
#include "engine/train/run/layer_observers.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace shardlab;
using namespace shardlab::test;

namespace {

constexpr auto activations = static_cast<std::size_t>(MemoryCategory::Activations);

std::vector<Event> memoryOf(const std::vector<Event>& events) {
    std::vector<Event> found;
    for (const Event& event : events)
        if (event.kind == memoryKind(MemoryCategory::Activations)) found.push_back(event);
    return found;
}

}  // namespace

class MemoryWithinTest : public QObject {
    Q_OBJECT

    RandomStream random_{freshSeed(), "memory within"};

    Layout layoutOf(int data, int zero) {
        Layout layout;
        layout.model = {ModelKind::Gpt, 4 + 4 * static_cast<int>(random_.below(2)), 32, 2, 32, 256, 0.0};
        layout.parallel.data = data;
        layout.parallel.pipeline = 2;
        layout.parallel.zero = zero;
        layout.cluster.hosts = {{"localhost", 2 * data}};
        layout.batch = {8 * data, 2};
        layout.run = {2, 1, 0, 1};
        return layout;
    }

    /// What is not as it should be; empty where all is.
    static QString notRisingIn(const Plan& plan) {
        const RunOutcome run = runInProcess(plan);
        if (!run.error.empty()) return QString::fromStdString(run.error);
        for (const RankOutcome& rank : run.ranks) {
            const std::vector<Event> memory = memoryOf(rank.events);
            if (!std::ranges::is_sorted(memory, {}, &Event::begin)) return QStringLiteral("not in order");
            // Where a forward waits within itself it is several events.
            std::map<ActionId, std::pair<std::int64_t, std::int64_t>> forwards;
            for (const Event& event : rank.events) {
                if (event.kind != EventKind::Forward || event.step != 1) continue;
                const auto [entry, first] = forwards.try_emplace(event.action, event.begin, event.end);
                if (!first) entry->second.second = event.end;
            }
            for (const auto& [action, span] : forwards) {
                std::set<std::int64_t> moments, sizes;
                for (const Event& each : memory) {
                    if (each.begin <= span.first || each.begin >= span.second) continue;
                    // By the model's clock the forward is over, and what follows it gives something back.
                    if (!sizes.empty() && each.bytes <= *sizes.rbegin()) break;
                    moments.insert(each.begin);
                    sizes.insert(each.bytes);
                }
                // What a layer keeps by the model's clock may have been told before by the machine's.
                if (sizes.size() < 3 || moments.size() < 3) return QStringLiteral("%1 sizes").arg(sizes.size());
            }
            if (forwards.empty()) return QStringLiteral("no forward");
        }
        return {};
    }

    static QString notAsPredictedIn(const Plan& plan) {
        const RunOutcome run = runInProcess(plan);
        if (!run.error.empty()) return QString::fromStdString(run.error);
        const std::vector<MemoryCurve> predicted = predictedMemory(plan, plan.simulation.events);
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
            const auto firstOf = [&](const std::vector<Event>& events, int step) {
                return *std::ranges::find_if(events, [&](const Event& event) {
                    return event.kind == EventKind::Forward && event.rank == static_cast<int>(rank) &&
                           event.step == step;
                });
            };
            const Event measured = firstOf(run.ranks[rank].events, 1);
            const Event planned = firstOf(plan.simulation.events, plan.simulation.events.front().step);
            const auto shareOf = [](const Event& action, std::int64_t time) {
                return static_cast<double>(time - action.begin) / static_cast<double>(action.end - action.begin);
            };
            // The moments at which activations change, as shares of the forward.
            std::vector<double> wanted{0, 1}, found;
            std::int64_t before = 0;
            for (const MemoryPoint& point : predicted[rank].points) {
                if (point.time > planned.begin && point.time < planned.end && point.bytes[activations] > before)
                    wanted.push_back(shareOf(planned, point.time));
                before = std::max(before, point.bytes[activations]);
            }
            for (const Event& each : memoryOf(run.ranks[rank].events))
                if (each.begin > measured.begin && each.begin < measured.end)
                    found.push_back(shareOf(measured, each.begin));
            if (wanted.size() < 5 || found.size() < 3) return QStringLiteral("%1 moments").arg(found.size());
            // What was told later by the machine's clock than the model has it stands elsewhere.
            const auto matched = std::ranges::count_if(found, [&](double share) {
                return std::ranges::any_of(wanted, [&](double each) { return std::abs(each - share) < 0.02; });
            });
            if (matched < 3) return QStringLiteral("%1 of %2").arg(matched).arg(found.size());
        }
        return {};
    }

private Q_SLOTS:
    /// A forward once showed nothing until its end, and then all that it keeps at once.
    void risesWithinAForward_data() {
        QTest::addColumn<bool>("paced");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("zero");
        for (const bool paced : {false, true}) {
            const char* how = paced ? "paced" : "full speed";
            QTest::addRow("%s, as one action", how) << paced << 1 << 0;
            QTest::addRow("%s, layer by layer", how) << paced << 2 << 0;
            QTest::addRow("%s, ZeRO 3", how) << paced << 2 << 3;
        }
    }
    void risesWithinAForward() {
        QFETCH(bool, paced);
        QFETCH(int, data);
        QFETCH(int, zero);
        Layout layout = layoutOf(data, zero);
        QString wrong = QStringLiteral("not run");
        // A machine that is busy otherwise gets a slower pace, beside which its lateness is little.
        for (double seconds = 0.2; seconds < 8 && !wrong.isEmpty(); seconds *= 3) {
            if (paced) layout.cluster.pace = PaceSpec{"h100-sxm", seconds};
            wrong = notRisingIn(planOf(layout));
            if (!paced) break;
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    /// Where the model says it, a layer's memory is there when the prediction has it.
    void aPacedForwardRisesAsPredicted() {
        Layout layout = layoutOf(1, 0);
        QString wrong = QStringLiteral("not run");
        for (double seconds = 0.3; seconds < 10 && !wrong.isEmpty(); seconds *= 3) {
            layout.cluster.pace = PaceSpec{"h100-sxm", seconds};
            wrong = notAsPredictedIn(planOf(layout));
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    /// A deep stage tells so many of its layers, however many it has.
    void deepStagesTellSome() {
        for (const int layers : {1, 2, 15, 16, 17, 40, 400}) {
            int told = 0;
            for (int layer = 0; layer < layers; ++layer) told += notesMemory({LayerPart::Use, layer, layers});
            QVERIFY2(told >= std::min(layers, 8) && told <= 16, qPrintable(QString::number(told)));
        }
    }
};

QTEST_GUILESS_MAIN(MemoryWithinTest)
#include "memory_within_test.moc"
