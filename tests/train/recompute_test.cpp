// SPDX-License-Identifier: Apache-2.0
// Activations that a backward computes again: losses and weights stay what they are, to the bit; what is computed again
// is on the timeline, where the plan has it.
#include "engine/base/random.h"
#include "engine/layout/block_parts.h"
#include "engine/layout/check/check.h"
#include "engine/layout/recompute.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/named.h"
#include "tests/support/random_experts.h"
#include "tests/support/random_parts.h"
#include "tests/support/seed.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <map>
#include <numeric>

using namespace shardlab::test;

namespace {

const std::vector<std::string> kinds{"selective", "full",      "sqrt",       "every", "mlp",
                                     "latent",    "pointwise", "operations", "parts"};

/// Bytes of a category, each from its time on, in the order in which they were told.
struct Held {
    std::vector<std::int64_t> times, bytes;
    int rises() const {
        int found = 0;
        for (std::size_t i = 1; i < bytes.size(); ++i) found += bytes[i] > bytes[i - 1];
        return found;
    }
    std::int64_t at(std::int64_t time) const {
        return bytes.at(std::ranges::upper_bound(times, time) - times.begin() - 1);
    }
};

Held held(const std::vector<Event>& events, MemoryCategory category) {
    Held held;
    for (const Event& event : events)
        if (event.kind == memoryKind(category)) {
            held.times.push_back(event.begin);
            held.bytes.push_back(event.bytes);
        }
    return held;
}

}  // namespace

class RecomputeTest : public QObject {
    Q_OBJECT

private:
    RandomStream random_{freshSeed(), "recompute"};
    int below(int most) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(most))); }

    /// Fresh sizes; three steps, dropout; a third with latent attention.
    Layout layoutOf(int data, int pipeline, int tensor, bool sequence, int chunks) {
        Layout layout;
        layout.model.kind = ModelKind::Gpt;
        layout.model.layers = pipeline * chunks * (2 + below(3));
        layout.model.heads = tensor * (1 + below(2));
        layout.model.hidden = layout.model.heads * (3 + below(5));
        layout.model.sequence = tensor * (4 + below(4));
        layout.model.dropout = 0.1;
        layout.parallel.data = data;
        layout.parallel.pipeline = pipeline;
        layout.parallel.tensor = tensor;
        layout.parallel.sequence = sequence;
        layout.cluster.hosts = {{"localhost", data * pipeline * tensor}};
        layout.schedule.kind = "1f1b";
        layout.schedule.chunks = chunks;
        layout.batch = {4 * data * pipeline, 1 + below(2)};
        layout.memory.recomputeEvery = 2 + below(2);
        layout.memory.recomputeBlocks = below(3);
        layout.run.steps = 3;
        layout.run.seed = below(1 << 30);
        layout.run.validateEvery = 0;
        if (below(3) == 0) drawLatent(layout.model);
        return layout;
    }
    void drawLatent(ModelSpec& model) {
        BlockSpec& block = model.block;
        block.positions = PositionKind::Rotary;
        block.kvRank = 4 + below(8);
        block.queryRank = below(2) * (4 + below(8));
        block.ropeWidth = 2 + 2 * below(2);
        block.valueWidth = 1 + below(headWidth(model) + block.ropeWidth);
        block.sinks = below(2) == 0;
    }
    /// With something that `kind` computes again.
    void suit(Layout& layout, const std::string& kind) {
        if (kind == "latent" && !latentAttention(layout.model)) drawLatent(layout.model);
        if (kind == "parts") layout.memory.recomputeParts = randomParts(layout, random_);
    }

    /// Where a tensor group could part the inputs of segments, it does and does not.
    void requireSameRun(const Layout& layout) {
        requireSameRun(layout, false);
        if (layout.parallel.tensor > 1 && !layout.parallel.sequence) requireSameRun(layout, true);
    }

    void requireSameRun(const Layout& layout, bool partition) {
        const RunOutcome wanted = runInProcess(planOf(layout));
        QVERIFY2(wanted.error.empty(), wanted.error.c_str());
        QCOMPARE(wanted.counter(EventKind::Loss).size(), std::size_t{3});
        for (const std::string& kind : kinds) {
            Layout again = layout;
            again.memory.recompute = named(kind);
            again.memory.partitionActivations = partition;
            if (kind == "parts") again.memory.recomputeParts = randomParts(again, random_);
            const bool refused = (kind == "selective" && layout.model.kind == ModelKind::Mlp) ||
                                 (kind == "latent" && !latentAttention(layout.model));
            QCOMPARE(!check(again, scheduleMethods()).empty(), refused);
            if (refused) continue;
            const RunOutcome got = runInProcess(planOf(again));
            QVERIFY2(got.error.empty(), got.error.c_str());
            QVERIFY2(got.count(EventKind::Recompute) > 0, kind.c_str());
            for (const EventKind counter : {EventKind::Loss, EventKind::ValidationLoss, EventKind::GradientNorm})
                QVERIFY2(got.counter(counter) == wanted.counter(counter), kind.c_str());
            for (std::size_t rank = 0; rank < got.ranks.size(); ++rank)
                QVERIFY2(got.ranks[rank].parameters == wanted.ranks[rank].parameters, kind.c_str());
        }
    }

private Q_SLOTS:
    void everyScheduleTrainsTheSame_data() {
        QTest::addColumn<QString>("schedule");
        for (const ScheduleMethod& method : generatedMethods())
            QTest::newRow(method.name.data()) << QString(method.name.data());
    }
    void everyScheduleTrainsTheSame() {
        QFETCH(QString, schedule);
        const ScheduleMethod& method = *findScheduleMethod(schedule.toStdString());
        Layout layout = layoutOf(1, 2, 1, false, method.minChunks);
        layout.schedule.kind = method.name;
        while (method.refusal && method.refusal(scheduleShape(layout))) layout.batch.global += layout.batch.micro;
        if (!check(layout, scheduleMethods()).empty())
            layout.optimizer.clip = 0;  // without a flush there is no whole norm
        requireSameRun(layout);
    }

    void everyMeshTrainsTheSame_data() {
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("sequence");
        QTest::addColumn<int>("zero");
        QTest::newRow("2 x 2 x 2") << 2 << 2 << 2 << false << 0;
        QTest::newRow("1 x 1 x 3") << 1 << 1 << 3 << false << 0;
        QTest::newRow("2 x 1 x 2, ZeRO 3") << 2 << 1 << 2 << false << 3;
        QTest::newRow("2 x 2 x 2, tokens split") << 2 << 2 << 2 << true << 0;
        QTest::newRow("1 x 1 x 3, tokens split") << 1 << 1 << 3 << true << 0;
        QTest::newRow("4 x 1 x 1") << 4 << 1 << 1 << false << 0;
        for (const int zero : {1, 2, 3}) {
            QTest::addRow("3 x 1 x 1, ZeRO %d", zero) << 3 << 1 << 1 << false << zero;
            QTest::addRow("2 x 2 x 1, ZeRO %d", zero) << 2 << 2 << 1 << false << zero;
            QTest::addRow("2 x 1 x 2, tokens split, ZeRO %d", zero) << 2 << 1 << 2 << true << zero;
        }
    }
    void everyMeshTrainsTheSame() {
        QFETCH(int, data);
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(bool, sequence);
        QFETCH(int, zero);
        Layout layout = layoutOf(data, pipeline, tensor, sequence, 1);
        layout.parallel.zero = zero;
        requireSameRun(layout);
    }

    void theMlpToo() {
        for (const bool sequence : {true, false}) {
            Layout layout = layoutOf(1, 2, 2, sequence, 1);
            layout.model.kind = ModelKind::Mlp;
            requireSameRun(layout);
        }
    }

    /// Experts of any gate, on one rank or spread over two; activations may wait in the host's memory.
    void expertsTrainTheSame_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("spread");
        QTest::addColumn<QString>("schedule");
        for (const char* model : {"gpt-moe", "llama-moe"})
            for (const int spread : {1, 2})
                for (const char* schedule : {"1f1b", "zb-h1"})
                    QTest::addRow("%s over %d, %s", model, spread, schedule) << model << spread << schedule;
    }
    void expertsTrainTheSame() {
        QFETCH(QString, model);
        QFETCH(int, spread);
        QFETCH(QString, schedule);
        Layout layout = layoutOf(2, 2, 1, false, 1);
        layout.model.kind = named(model.toStdString());
        if (!choosesParts(layout.model)) layout.model.block = {};
        layout.model.hidden = layout.model.heads * 2 * (2 + below(3));
        if (latentAttention(layout.model)) drawLatent(layout.model);  // for this width
        const auto draw = [this](int n) { return below(n); };
        drawExperts(layout.model, draw, spread, spread > 1);
        drawExpertBlocks(layout.model, draw);
        layout.parallel.expert = spread;
        layout.schedule.kind = schedule.toStdString();
        layout.memory.swap = below(2) ? SwapKind::Activations : SwapKind::None;
        requireSameRun(layout);
    }

    /// Whatever the order of a pipeline and the number format: to the bit.
    void inputsComeTogetherAgainInEverySchedule_data() { everyScheduleTrainsTheSame_data(); }
    void inputsComeTogetherAgainInEverySchedule() {
        QFETCH(QString, schedule);
        const ScheduleMethod& method = *findScheduleMethod(schedule.toStdString());
        Layout layout = layoutOf(1, 2, 2, false, method.minChunks);
        layout.schedule.kind = method.name;
        while (method.refusal && method.refusal(scheduleShape(layout))) layout.batch.global += layout.batch.micro;
        const char* const formats[] = {"fp32", "bf16", "fp16"};
        layout.precision.compute = named(formats[below(3)]);
        if (method.flushes && layout.precision.compute == NumberFormat::Fp16)
            layout.precision.lossScale = LossScaling::Dynamic;
        if (!check(layout, scheduleMethods()).empty()) layout.optimizer.clip = 0;
        requireSameRun(layout, true);
    }

    /// As many spans in each action as the plan has, inside it; and the collectives of a forward that is done again.
    void spansAreThoseOfThePlan_data() {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<bool>("paced");
        QTest::addColumn<bool>("sequence");
        for (const bool paced : {false, true})
            for (const char* schedule : {"1f1b", "zb-h1"})
                for (const bool sequence : {true, false})
                    QTest::addRow("%s%s%s", schedule, sequence ? ", tokens split" : ", inputs in parts",
                                  paced ? ", paced" : "")
                        << schedule << paced << sequence;
    }
    void spansAreThoseOfThePlan() {
        QFETCH(QString, schedule);
        QFETCH(bool, paced);
        QFETCH(bool, sequence);
        for (const std::string& kind : kinds) {
            Layout layout = layoutOf(1, 2, 2, sequence, 1);
            layout.memory.partitionActivations = true;
            layout.schedule.kind = schedule.toStdString();
            layout.memory.recompute = named(kind);
            suit(layout, kind);
            layout.run.steps = 2;
            if (paced) layout.cluster.pace = PaceSpec{"h100-sxm", 0.5};
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            int segments = 0, ofStage = 0;
            for (const RecomputedBlocks& some :
                 recomputedBlocks(layout.model, layout.memory, {layout.model.layers / 2, true, false, 0})) {
                segments += some.segment ? 1 : 0;
                ofStage += some.times;
            }
            using Key = std::tuple<ActionId, EventKind, int, std::int64_t>;
            for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
                std::map<Key, int> measured, predicted;
                std::map<ActionId, Event> around;
                const auto collect = [](const Event& event, std::map<Key, int>& into) {
                    if (event.kind == EventKind::Recompute || isTensorCollective(event.kind))
                        ++into[{event.action, event.kind, static_cast<int>(event.value), event.bytes}];
                };
                const std::vector<Event>& events = run.ranks[static_cast<std::size_t>(rank)].events;
                for (const Event& event : events)
                    if (event.step == 1 && isCompute(event.kind)) around[event.action] = event;
                for (const Event& event : events) {
                    if (event.step != 1) continue;
                    collect(event, measured);
                    if (event.kind != EventKind::Recompute) continue;
                    const Event& whole = around.at(event.action);
                    QVERIFY(whole.kind == EventKind::Backward || whole.kind == EventKind::InputGrad);
                    QVERIFY(event.begin < event.end && event.end <= whole.end);
                    QVERIFY(paced || event.begin >= whole.begin);
                }
                for (const Event& event : plan.simulation.events)
                    if (event.rank == rank) collect(event, predicted);
                QVERIFY2(measured == predicted, kind.c_str());
                const auto again = std::ranges::count(plan.simulation.events, EventKind::Recompute, &Event::kind);
                QCOMPARE(again, std::ptrdiff_t{plan.mesh.ranks()} * plan.lowered.microbatches * ofStage);
            }
            // Nothing else gathers where tokens are whole: each segment's input, once a microbatch, if that is divided.
            if (sequence) continue;
            const bool parts = partitionsInputs(layout.memory, layout.parallel);
            const auto gathered = std::ranges::count(plan.simulation.events, EventKind::TensorAllGather, &Event::kind);
            QCOMPARE(gathered, std::ptrdiff_t{plan.mesh.ranks()} * plan.lowered.microbatches * (parts ? segments : 0));
        }
    }

    /// Heads of latents in groups that exchange them: the same to the bit, with the exchanges that the plan has.
    void headsAreExchangedAgain() {
        for (int round = 0; round < 4; ++round) {
            const int tensor = 1 + below(2);
            Layout layout = layoutOf(1, 3 - tensor, tensor, tensor > 1 && below(2) == 0, 1);
            layout.parallel.context = 2;
            layout.parallel.contextKind = ContextKind::Ulysses;
            layout.cluster.hosts[0].devices *= 2;
            layout.model.heads = 2 * tensor * (1 + below(2));
            layout.model.hidden = layout.model.heads * 2 * (2 + below(3));
            layout.model.sequence = 4 * tensor * (1 + below(3));
            drawLatent(layout.model);
            const RunOutcome wanted = runInProcess(planOf(layout));
            QVERIFY2(wanted.error.empty(), wanted.error.c_str());
            layout.memory.recompute = RecomputeKind::Parts;
            do layout.memory.recomputeParts = randomParts(layout, random_);
            while (!layout.memory.recomputeParts.has(RecomputePart::Heads));
            if (round < 2) layout.memory.recompute = RecomputeKind::Latent;
            const Plan plan = planOf(layout);
            const RunOutcome got = runInProcess(plan);
            QVERIFY2(got.error.empty(), got.error.c_str());
            QVERIFY(got.counter(EventKind::Loss) == wanted.counter(EventKind::Loss));
            for (int rank = 0; rank < plan.mesh.ranks(); ++rank) {
                const RankOutcome& ran = got.ranks[std::size_t(rank)];
                QVERIFY(ran.parameters == wanted.ranks[std::size_t(rank)].parameters);
                std::map<std::pair<ActionId, std::int64_t>, int> measured, predicted;
                for (const Event& event : ran.events)
                    if (event.kind == EventKind::ExchangeHeads && event.step == 1)
                        ++measured[{event.action, event.bytes}];
                for (const Event& event : plan.simulation.events)
                    if (event.kind == EventKind::ExchangeHeads && event.rank == rank)
                        ++predicted[{event.action, event.bytes}];
                QVERIFY(!measured.empty());
                QVERIFY2(measured == predicted, qPrintable(QString("round %1").arg(round)));
            }
        }
    }

    /// Memory as it is told: what a forward that is done again holds is there from its end on; by a pace, too.
    void memoryOfWhatIsDoneAgainIsTold_data() {
        QTest::addColumn<int>("zero");
        QTest::newRow("ZeRO 0") << 0;
        QTest::newRow("ZeRO 3") << 3;
    }
    void memoryOfWhatIsDoneAgainIsTold() {
        QFETCH(int, zero);
        for (const std::string& kind : kinds) {
            Layout layout = layoutOf(2, 2, 1, false, 1);
            layout.parallel.zero = zero;
            layout.memory.recompute = named(kind);
            suit(layout, kind);
            layout.run.steps = 2;
            const RunOutcome run = runInProcess(planOf(layout));
            layout.cluster.pace = PaceSpec{"h100-sxm", 0.5};
            const RunOutcome paced = runInProcess(planOf(layout));
            QVERIFY2(run.error.empty() && paced.error.empty(), (run.error + paced.error).c_str());
            for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
                const Held activations = held(run.ranks[rank].events, MemoryCategory::Activations);
                int again = 0;
                for (const Event& event : run.ranks[rank].events)
                    if (event.kind == EventKind::Recompute && event.step == 1) {
                        QVERIFY2(activations.at(event.end) > activations.at(event.begin), kind.c_str());
                        ++again;
                    }
                QVERIFY(again > 0);
                const Held byPace = held(paced.ranks[rank].events, MemoryCategory::Activations);
                QVERIFY(std::ranges::is_sorted(byPace.times));
                QVERIFY2(byPace.rises() >= 2 * again, kind.c_str());  // of two steps
            }
        }
    }

    /// Less memory, and as much as the plan says.
    void peaksFallAsPredicted() {
        Layout layout = layoutOf(1, 2, 1, false, 1);
        layout.model.sequence = 32;
        drawLatent(layout.model);
        layout.memory.recomputeBlocks = 0;
        layout.run.steps = 2;
        std::map<std::string, std::int64_t> peaks;
        std::vector<std::string> all = kinds;
        all.insert(all.begin(), "none");
        for (const std::string& kind : all) {
            layout.memory.recompute = named(kind);
            suit(layout, kind);
            const Plan plan = planOf(layout);
            const RunOutcome run = runInProcess(plan);
            QVERIFY2(run.error.empty(), run.error.c_str());
            std::int64_t measured = 0;
            for (const Event& event : run.ranks[0].events)
                if (event.kind == EventKind::MemoryPeak && event.step == 1) measured = event.bytes;
            const std::int64_t predicted = plan.memory[0].peak;
            QVERIFY2(
                std::abs(double(measured) / double(predicted) - 1) < 0.02,
                qPrintable(QString("%1: %2 predicted, %3 measured").arg(kind.c_str()).arg(predicted).arg(measured)));
            peaks[kind] = measured;
        }
        QVERIFY(peaks["selective"] < peaks["none"]);
        QVERIFY(peaks["full"] < peaks["selective"]);
        QVERIFY(peaks["mlp"] < peaks["none"]);
        QVERIFY(peaks["full"] < peaks["mlp"]);
        QVERIFY(peaks["latent"] < peaks["none"]);
        QVERIFY(peaks["pointwise"] < peaks["none"]);
        QVERIFY(peaks["operations"] < peaks["pointwise"]);
    }

    /// Each of t members has 1/t of what is held between a forward and its backward.
    void partsAreAShareOfTheInputs() {
        for (const int tensor : {2, 4}) {
            Layout layout = layoutOf(1, 2, tensor, false, 1);
            layout.memory.recomputeBlocks = 0;
            layout.schedule.kind = "gpipe";
            layout.memory.recompute = RecomputeKind::Full;
            layout.run.steps = 2;
            std::map<bool, std::int64_t> bytes;
            for (const bool partition : {false, true}) {
                layout.memory.partitionActivations = partition;
                const Plan plan = planOf(layout);
                const RunOutcome run = runInProcess(plan);
                QVERIFY2(run.error.empty(), run.error.c_str());
                // After the last forward of the last stage: inputs, and what the output layer holds; nothing is on its
                // way.
                const auto& events = run.ranks.back().events;
                std::int64_t end = 0;
                for (const Event& event : events)
                    if (event.step == 1 && event.kind == EventKind::Forward) end = std::max(end, event.end);
                const Held activations = held(events, MemoryCategory::Activations),
                           buffers = held(events, MemoryCategory::Buffers);
                const auto after = std::ranges::lower_bound(activations.times, end);
                QVERIFY(after != activations.times.end());
                bytes[partition] = activations.at(*after) + buffers.at(*after);  // what a stage received is a buffer
                if (partition)
                    QVERIFY(std::ranges::any_of(events, [](const Event& event) {
                        return event.kind == EventKind::LargestFree && event.bytes > 0 &&
                               event.value >= double(event.bytes);
                    }));
            }
            const std::int64_t inputs = 4 * std::int64_t{layout.batch.micro} * layout.model.sequence *
                                        layout.model.hidden * (layout.model.layers / 2) * microbatches(layout);
            qInfo("tensor %d: %lld bytes of inputs, %lld held, %lld in parts", tensor, (long long)inputs,
                  (long long)bytes[false], (long long)bytes[true]);
            QCOMPARE(bytes[false] - bytes[true], inputs - inputs / tensor);
        }
    }
};

QTEST_GUILESS_MAIN(RecomputeTest)
#include "recompute_test.moc"
