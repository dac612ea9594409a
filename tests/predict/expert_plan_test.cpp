// SPDX-License-Identifier: Apache-2.0
// What plan says of models with experts: work of the experts that are asked, time of the rows that are computed, and
// the sums over their load.
#include "engine/trace/metrics/expert_loads.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/utilisation.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/tensor_costs.h"
#include "tests/support/legal_plan.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <map>

using namespace shardlab::test;

namespace {

Layout layoutOf(const std::string& kind) {
    Layout layout;
    layout.model = {named(kind), 8, 512, 8, 256, 4096, 0};
    layout.model.experts.count = 16;
    layout.parallel.data = 1;
    layout.parallel.pipeline = 4;
    layout.batch = {32, 4};
    return layout;
}

}  // namespace

class ExpertPlanTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// One expert a token is the dense model's work and the gate's; the time is that of all places.
    void workIsThatOfTheAsked() {
        const Plan dense = planOf(layoutOf("gpt"));
        Layout layout = layoutOf("gpt-moe");
        const Plan experts = planOf(layout);
        const double tokens = 32.0 * 256, gates = 3 * 4 * 2 * tokens * 512 * 16;
        QVERIFY(std::abs(experts.flopsPerStep / (dense.flopsPerStep + gates) - 1) < 1e-9);
        QVERIFY(experts.stepSeconds > dense.stepSeconds);
        layout.model.experts.capacity = 4;
        const Plan roomy = planOf(layout);
        QCOMPARE(roomy.flopsPerStep, experts.flopsPerStep);
        QVERIFY(roomy.stepSeconds > 1.2 * experts.stepSeconds);
        QVERIFY(roomy.mfu < experts.mfu);
        layout.model.experts.capacity = 0;  // as many rows as are asked for
        const Plan dropless = planOf(layout);
        QCOMPARE(dropless.flopsPerStep, experts.flopsPerStep);
        QVERIFY(dropless.stepSeconds < experts.stepSeconds);
        layout.model.experts.capacity = 0.5;  // half of the tokens are dropped, and are no work
        QVERIFY(planOf(layout).flopsPerStep < experts.flopsPerStep);
    }

    void memoryGrowsWithTheExperts() {
        Layout layout = layoutOf("gpt-moe");
        const Plan many = planOf(layout);
        layout.model.experts.count = 4;
        const Plan few = planOf(layout);
        const std::int64_t one = 2 * 512 * 2048 + 2048 + 512;
        // Each rank has a dense block and one with experts: weights, gradients and AdamW's two numbers, with the gate.
        const auto state = [](const Plan& plan) {
            return plan.memory[1].bytes[0] + plan.memory[1].bytes[1] + plan.memory[1].bytes[2];
        };
        QCOMPARE(state(many) - state(few), 16 * 12 * (one + 512));
        QCOMPARE(modelParameters(layoutOf("gpt-moe").model) - modelParameters(layout.model), 4 * 12 * (one + 512));
    }

    /// A rank holds no more than its share of the experts; the rest of its state and what it computes stay the same.
    void aSpreadExpertIsHeldOnce() {
        Layout layout = layoutOf("gpt-moe");
        layout.parallel.data = 4;
        layout.parallel.pipeline = 2;
        layout.cluster.hosts = {{"localhost", 8}};
        const Plan whole = planOf(layout);
        layout.parallel.expert = 4;
        const Plan spread = planOf(layout);
        const std::int64_t one = 2 * 512 * 2048 + 2048 + 512;
        const auto state = [](const Plan& plan, std::size_t rank) {
            return plan.memory[rank].bytes[0] + plan.memory[rank].bytes[1] + plan.memory[rank].bytes[2];
        };
        // Two blocks with 16 experts on each pipeline rank.
        for (const std::size_t rank : {0, 3, 7})
            QCOMPARE(state(whole, rank) - state(spread, rank), 2 * (16 - 4) * 16 * one);
        QCOMPARE(spread.flopsPerStep, whole.flopsPerStep);
        QCOMPARE(spread.parameters, whole.parameters);
        const auto sent = [](const Plan& plan, Axis axis) {
            std::int64_t sum = 0;
            for (const AxisTraffic& traffic : plan.traffic) sum += traffic.axis == axis ? traffic.bytes : 0;
            return sum;
        };
        // 8 samples of each replica in 2 microbatches; 4 blocks, four all-to-alls each, of which 3/4 leave a rank.
        QCOMPARE(sent(whole, Axis::Expert), 0);
        QCOMPARE(sent(spread, Axis::Expert), std::int64_t{4} * 2 * 4 * 4 * (16 * 4 * 20) * 512 * 4 * 3 / 4);
        // Nobody else holds a rank's experts: their gradients stay.
        QCOMPARE(sent(whole, Axis::Data) - sent(spread, Axis::Data), std::int64_t{2} * 3 * 4 * 4 * 16 * one);
        QVERIFY(spread.stepSeconds != whole.stepSeconds);
        // Where two ranks hold each, they are summed between these.
        layout.parallel.expert = 2;
        QCOMPARE(sent(whole, Axis::Data) - sent(planOf(layout), Axis::Data),
                 std::int64_t{4} * 4 * one * (2 * 3 * 16 - 2 * 2 * 8));
    }

    /// A member of a tensor group has its share of every expert and the whole gate, sends whole rows, and adds up one
    /// gradient for each choice of a token.
    void aTensorGroupDividesEveryExpert() {
        Layout layout = layoutOf("gpt-moe");
        layout.model.experts.shared = 1;
        layout.parallel.data = 2;
        layout.parallel.pipeline = 1;
        layout.parallel.expert = 2;
        layout.cluster.hosts = {{"localhost", 2}};
        const Plan whole = planOf(layout);
        layout.parallel.tensor = 2;
        layout.cluster.hosts = {{"localhost", 4}};
        const Plan divided = planOf(layout);
        const StageShape stage{8, true, true};
        TensorShare one = tensorShare(layout), all = one;
        all.size = 1;
        all.part = 0;
        // 4 layers with experts: half of the columns of 8 own experts, which lie apart from the rest.
        QCOMPARE(spreadParameters(layout.model, stage, all) - spreadParameters(layout.model, stage, one),
                 std::int64_t{4} * 8 * (2 * 512 * 1024 + 1024));
        const double tokens = 4.0 * 256, gate = 2 * tokens * 512 * 16;
        const double ofWhole = layerForwardFlops(layout.model, 1, 4, all),
                     ofOne = layerForwardFlops(layout.model, 1, 4, one);
        QVERIFY(std::abs((ofWhole - gate) / 2 + gate - ofOne) < 1e-9 * ofWhole);
        QCOMPARE(divided.flopsPerStep, whole.flopsPerStep);
        const auto sent = [](const Plan& plan, Axis axis) {
            std::int64_t sum = 0;
            for (const AxisTraffic& traffic : plan.traffic) sum += traffic.axis == axis ? traffic.bytes : 0;
            return sum;
        };
        QCOMPARE(sent(divided, Axis::Expert), 2 * sent(whole, Axis::Expert));
        std::map<std::int64_t, int> sums;
        for (const TensorCost& cost : divided.costs.stages[0].tensor.inputGrad)
            if (cost.layer == 1 && cost.kind == EventKind::TensorAllReduce) ++sums[cost.bytes];
        const std::int64_t activations = 4 * std::int64_t{4} * 256 * 512, routes = 4 * std::int64_t{4} * 256;
        QCOMPARE(sums, (std::map<std::int64_t, int>{{activations, 2}, {routes, 1}}));
    }

    /// Where each expert is whole on one rank of a tensor group, a rank has the rows of fewer experts, with all their
    /// columns: as much work, and fewer rows to hold and to send.
    void partsOfATensorGroupHoldOtherExperts() {
        Layout layout = layoutOf("gpt-moe");
        layout.parallel = {.data = 2, .pipeline = 1, .tensor = 2, .expert = 2};
        layout.cluster.hosts = {{"localhost", 4}};
        const Plan cut = planOf(layout);
        layout.parallel.expert = 4;
        layout.parallel.expertTensor = 1;
        const Plan folded = planOf(layout);
        const StageShape stage{8, true, true};
        const TensorShare share = tensorShare(layout);
        QCOMPARE(spreadParameters(layout.model, stage, share), std::int64_t{4} * 4 * (2 * 512 * 2048 + 2048 + 512));
        QCOMPARE(expertRows(layout.model, 4, share), routedRows(layout.model, 4) / 2);
        QCOMPARE(folded.flopsPerStep, cut.flopsPerStep);
        const auto bytes = [](const Plan& plan, MemoryCategory category) {
            return plan.memory[0].bytes[static_cast<std::size_t>(category)];
        };
        // Each of 4 layers has what goes into the experts and what comes out, of half as many rows.
        const std::int64_t rows = routedRows(layout.model, 4);
        QCOMPARE(bytes(cut, MemoryCategory::Activations) - bytes(folded, MemoryCategory::Activations),
                 4 * 4 * 2 * rows / 2 * 512);
        const auto sent = [](const Plan& plan) {
            const auto told = std::ranges::find(plan.traffic, Axis::Expert, &AxisTraffic::axis);
            return told == plan.traffic.end() ? 0 : told->bytes;
        };
        QVERIFY(sent(cut) > 0);
        QCOMPARE(sent(folded), sent(cut) / 2);
        // One replica: no row travels.
        layout.parallel = {.data = 1, .pipeline = 1, .tensor = 2, .expert = 2, .expertTensor = 1};
        layout.cluster.hosts = {{"localhost", 2}};
        const Plan alone = planOf(layout);
        QCOMPARE(sent(alone), std::int64_t{0});
        QVERIFY(spreadParameters(layout.model, stage, tensorShare(layout)) == 0);
    }

    /// In Megatron-Core members of a tensor group send the rows of their own tokens, and gather nothing.
    void otherStacksSendRowsOverTensorGroups() {
        Layout layout = layoutOf("llama-moe");
        layout.model.experts.capacity = 0;
        layout.precision.compute = NumberFormat::Bf16;
        layout.cluster.pace = PaceSpec{"h100-sxm", 1, "megatron-core"};
        layout.cluster.hosts = {{"node1", 8}};
        layout.parallel = {.data = 4, .pipeline = 1, .tensor = 2, .expert = 4, .sequence = true};
        layout.batch = {32, 2};
        const auto ofExperts = [](const Plan& plan) {
            std::map<EventKind, std::int64_t> sums;
            for (const TensorCost& cost : plan.costs.stages[0].tensor.forward)
                if (cost.layer == 0) sums[cost.kind] += cost.bytes;
            return sums;
        };
        auto cut = ofExperts(planOf(layout));
        layout.parallel.expert = 8;
        layout.parallel.expertTensor = 1;
        const Plan plan = planOf(layout);
        QCOMPARE(exchangeMembers(layout), 8);
        auto folded = ofExperts(plan);
        QCOMPARE(folded[EventKind::DispatchTokens], cut[EventKind::DispatchTokens] / 2);
        QCOMPARE(folded[EventKind::TensorAllGather], cut[EventKind::TensorAllGather] / 2);  // the attention's
        QCOMPARE(folded[EventKind::TensorReduceScatter], cut[EventKind::TensorReduceScatter] / 2);
    }

    /// Shards of spread experts are as large as those of experts that each rank holds, as fewer ranks share them out,
    /// and as much of them crosses the data axis as of gradients without ZeRO.
    void shardsOfSpreadExperts() {
        Layout layout = layoutOf("llama-moe");
        layout.model.experts.shared = 1;
        layout.parallel.data = 4;
        layout.parallel.pipeline = 2;
        layout.cluster.hosts = {{"localhost", 8}};
        const std::int64_t one = 3 * 512 * 2048,
                           held = 4 * 16 * one;  // of experts, on a rank that holds all of its stage
        const auto sent = [](const Plan& plan) {
            std::int64_t sum = 0;
            for (const AxisTraffic& traffic : plan.traffic) sum += traffic.axis == Axis::Data ? traffic.bytes : 0;
            return sum;
        };
        for (const int zero : {1, 2, 3}) {
            layout.parallel.zero = zero;
            layout.parallel.expert = 1;
            const Plan whole = planOf(layout);
            std::map<int, double> less;
            for (const int expert : {2, 4}) {
                layout.parallel.expert = expert;
                const Plan spread = planOf(layout);
                const auto share = [&](int category, bool sharded) {
                    return whole.memory[0].bytes[std::size_t(category)] - (sharded ? 0 : 4 * (held - held / expert));
                };
                const auto state = [&](int category) { return spread.memory[0].bytes[std::size_t(category)]; };
                QCOMPARE(state(0), share(0, zero == 3));
                QCOMPARE(state(1), share(1, zero >= 2));
                QCOMPARE(state(2), share(2, true));
                QCOMPARE(spread.flopsPerStep, whole.flopsPerStep);
                less[expert] = double(sent(whole) - sent(spread));
            }
            // So many numbers of both stages would each of four replicas pass on, of which two, or none, share
            // the same; once there and once back in ZeRO 1.
            QVERIFY2(std::abs(less[4] * 2 / (less[2] * 3) - 1) < 1e-6, qPrintable(QString("zero %1").arg(zero)));
            if (zero == 1) QVERIFY(std::abs(less[4] / (2.0 * 2 * 4 * 3 * double(held)) - 1) < 1e-6);
            QVERIFY(less[4] > 0);
        }
    }

    void slowLinksMakeAllToAllsDear() {
        Layout layout = layoutOf("gpt-moe");
        layout.parallel.data = 8;
        layout.parallel.pipeline = 1;
        layout.parallel.expert = 4;
        layout.cluster.pace = PaceSpec{"h100-sxm", 1};
        layout.cluster.hosts = {{"a", 4}, {"b", 4}};
        const auto forward = [](const Layout& of) { return planOf(of).costs.stages[0].forward; };
        const double inside = forward(layout);
        layout.cluster.hosts = {{"a", 2}, {"b", 6}};  // a group lies on both
        QVERIFY(forward(layout) > inside);
    }

    void notesSayWhatATokenUses() {
        const auto notes = [](const Layout& layout) {
            std::string all;
            for (const Sentence& note : planOf(layout).notes) all += note.english() + '\n';
            return all;
        };
        Layout layout = layoutOf("gpt-moe");
        QVERIFY2(notes(layout).find("each of the 16 experts of a block has a capacity of 20 of the 256 tokens") !=
                     std::string::npos,
                 notes(layout).c_str());
        QVERIFY(notes(layout).find("are dropped") == std::string::npos);
        layout.model.experts.capacity = 0.75;
        QVERIFY2(notes(layout).find("at least 25.0 % of them are dropped") != std::string::npos, notes(layout).c_str());
        layout.model.experts.gate = GateMethod::GShard;  // first choices have places all the same
        QVERIFY2(notes(layout).find("second expert of a token is drawn") != std::string::npos, notes(layout).c_str());
        QVERIFY2(notes(layout).find("are dropped") == std::string::npos, notes(layout).c_str());
        layout.model.experts.capacity = 0.25;
        QVERIFY2(notes(layout).find("50.0 % of all first choices: at least 50.0 % of them are dropped") !=
                     std::string::npos,
                 notes(layout).c_str());
        layout.model.experts.capacity = 0.75;
        layout.model.experts.gate = GateMethod::Hierarchical;  // two of four experts of two of four groups
        QVERIFY2(notes(layout).find("at least 25.0 % of them are dropped") != std::string::npos, notes(layout).c_str());
        layout.model.experts.gate = GateMethod::TopKSoftmax;
        layout.model.experts.capacity = 0;
        QVERIFY2(notes(layout).find("each of the 16 experts of a block has as many rows as tokens choose it") !=
                     std::string::npos,
                 notes(layout).c_str());
        QVERIFY2(notes(layout).find("are dropped") == std::string::npos, notes(layout).c_str());
        Layout spread = layout;
        spread.parallel.data = spread.parallel.expert = 2;
        spread.parallel.pipeline = 2;
        QVERIFY2(notes(spread).find("so many where all experts are chosen equally often") != std::string::npos,
                 notes(spread).c_str());
        layout.model.experts.capacity = 0.75;
        layout.model.experts.gate = GateMethod::ExpertChoice;
        QVERIFY2(notes(layout).find("depend on the tokens after it") != std::string::npos, notes(layout).c_str());
        QVERIFY2(notes(layout).find("assignment") == std::string::npos, notes(layout).c_str());
        layout.model.experts.gate = GateMethod::CappedExpertChoice;
        QVERIFY2(notes(layout).find("depend on the tokens after it") != std::string::npos, notes(layout).c_str());
        QVERIFY2(notes(layout).find("gives a token at most 2 experts") != std::string::npos, notes(layout).c_str());
        QVERIFY(notes(layoutOf("gpt")).find("expert") == std::string::npos);
    }

    void loadsAreSummedUp() {
        ExpertLoads loads;
        QVERIFY(loads.empty() && !loads.unevenness() && !loads.droppedShare());
        const auto tell = [&](int step, int rank, ExpertOfLayer of, EventKind kind, double value) {
            Event event;
            event.step = step;
            event.rank = static_cast<std::int16_t>(rank);
            event.kind = kind;
            event.bytes = expertNumber(of);
            event.value = value;
            QVERIFY(expertOf(event.bytes) == of);
            loads.add(event);
        };
        for (const int rank : {0, 1}) {
            tell(3, rank, {1, 0}, EventKind::ExpertLoad, 30);
            tell(3, rank, {1, 1}, EventKind::ExpertLoad, 10);
            tell(3, rank, {1, 0}, EventKind::ExpertDropped, 5);
            tell(3, rank, {7, 1}, EventKind::ExpertLoad, 8);
            tell(3, rank, {7, 0}, EventKind::ExpertLoad, 8);
            tell(2, rank, {7, 0}, EventKind::ExpertLoad, 1000);
            tell(3, rank, {7, 0}, EventKind::Loss, 1000);
        }
        QCOMPARE(loads.from(3).layers().at(1)[0].asked, 60.0);
        QCOMPARE(*loads.from(3).unevenness(), (1.5 + 1.0) / 2);
        QCOMPARE(*loads.from(3).droppedShare(), 10.0 / 112);
        QCOMPARE(loads.layers().at(7)[0].asked, 2016.0);
        QVERIFY(loads.from(4).empty());

        QVERIFY(!loads.chosen());
        for (const int rank : {0, 1})
            for (const int layer : {1, 7}) {
                tell(3, rank, {layer, 0}, EventKind::UntakenTokens, layer);
                tell(3, rank, {layer, 0}, EventKind::ExpertsOfToken, layer + rank);
                tell(2, rank, {layer, 0}, EventKind::AssignmentRounds, 20 + rank);
            }
        QCOMPARE(loads.from(3).chosen()->untaken, (2 * 1 + 2 * 7) / 2.0);
        QCOMPARE(loads.from(3).chosen()->mostOfToken, 8.0);
        QCOMPARE(loads.from(3).chosen()->mostRounds, 0.0);
        QCOMPARE(loads.chosen()->mostRounds, 21.0);
    }
};

QTEST_GUILESS_MAIN(ExpertPlanTest)
#include "expert_plan_test.moc"
