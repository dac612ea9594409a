// SPDX-License-Identifier: Apache-2.0
// What is recomputed, as layout and plan have it: segments, bytes against the papers' formulas, time, refusals.
#include "engine/layout/check/check.h"
#include "engine/layout/recompute.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/stage_buffers.h"
#include "engine/layout/schedule/registry.h"
#include "tests/support/legal_plan.h"
#include "tests/support/named.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <optional>

using namespace shardlab::test;

namespace {

/// Activations, in bytes, that the forward of `blocks` blocks in the middle of a model leaves behind; what they get
/// from below counts, what they give above does not.
double keptBytes(const Layout& layout, int blocks) {
    const StageBuffers stage = stageBuffers(layout, {blocks, false, false, 0}, {}, tensorShare(layout));
    return static_cast<double>(stage.forward.change[static_cast<std::size_t>(MemoryCategory::Activations)]);
}

Layout paperLayout(const std::string& recompute) {
    Layout layout;
    layout.model.layers = 12;
    layout.model.hidden = 96;
    layout.model.heads = 12;
    layout.model.sequence = 24;
    layout.batch.micro = 2;
    layout.memory.recompute = named(recompute);
    return layout;
}

}  // namespace

class RecomputePlanTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void segmentsCoverTheStage() {
        const auto recomputeSegments = [](const MemorySpec& memory, int layers) {
            std::vector<int> segments;
            for (const RecomputedBlocks& some : recomputedBlocks({}, memory, {layers, false, false, 0}))
                if (some.segment) segments.push_back(some.blocks);
            return segments;
        };
        QVERIFY(recomputeSegments({RecomputeKind::None, 2}, 6).empty());
        QVERIFY(recomputeSegments({RecomputeKind::Selective, 2, 2}, 6).empty());
        QCOMPARE(recomputeSegments({RecomputeKind::Full, 2}, 3), (std::vector<int>{1, 1, 1}));
        QCOMPARE(recomputeSegments({RecomputeKind::Every, 4}, 10), (std::vector<int>{4, 4, 2}));
        QCOMPARE(recomputeSegments({RecomputeKind::Every, 4}, 3), (std::vector<int>{3}));
        QCOMPARE(recomputeSegments({RecomputeKind::Sqrt, 2}, 9), (std::vector<int>{3, 3, 3}));
        QCOMPARE(recomputeSegments({RecomputeKind::Sqrt, 2}, 24), (std::vector<int>{5, 5, 5, 5, 4}));
        QCOMPARE(recomputeSegments({RecomputeKind::Sqrt, 2}, 1), (std::vector<int>{1}));
        QCOMPARE(recomputeSegments({RecomputeKind::Full, 2, 2}, 5), (std::vector<int>{1, 1}));
        QCOMPARE(recomputeSegments({RecomputeKind::Every, 4, 6}, 10), (std::vector<int>{4, 2}));
        QCOMPARE(recomputeSegments({RecomputeKind::Full, 2, 9}, 3), (std::vector<int>{1, 1, 1}));
        QCOMPARE(recomputeSegments({RecomputeKind::Mlp, 2, 2}, 5), (std::vector<int>{1, 1}));
        // The second of two layers of each block, between embedding and output.
        const StageShape shape{3, true, true, 0};
        QCOMPARE(layerSegments({}, {RecomputeKind::Mlp, 2}, shape), (std::vector<int>{-1, -1, 2, -1, 4, -1, 6, -1}));
        QCOMPARE(layerSegments({}, {RecomputeKind::Mlp, 2, 2}, shape),
                 (std::vector<int>{-1, -1, 2, -1, 4, -1, -1, -1}));
        ModelSpec mlp;
        mlp.kind = ModelKind::Mlp;
        QCOMPARE(layerSegments(mlp, {RecomputeKind::Mlp, 2}, shape), layerSegments(mlp, {RecomputeKind::Full}, shape));
    }

    /// The first and the third of four blocks have a feed-forward block, the others experts.
    void partsCoverTheirBlocks() {
        ModelSpec model;
        model.kind = ModelKind::GptMoe;
        model.layers = 4;
        model.experts.count = 4;
        model.experts.every = 2;
        QVERIFY(!hasExperts(model, 0) && hasExperts(model, 1));
        MemorySpec memory;
        memory.recompute = RecomputeKind::Parts;
        using enum RecomputePart;
        const StageShape all{4, false, false, 0};
        memory.recomputeParts = {Experts, Core};
        QCOMPARE(layerSegments(model, memory, all), (std::vector<int>{-1, -1, -1, 3, -1, -1, -1, 7}));
        QCOMPARE(recomputedBlocks(model, memory, all),
                 (std::vector<RecomputedBlocks>{{0, 1, false, 1}, {1, 1, true, 2}, {2, 1, false, 1}, {3, 1, true, 2}}));
        // A stage that begins with experts.
        memory.recomputeParts = {FeedForward, Norms, Activations};
        QCOMPARE(recomputedBlocks(model, memory, {2, false, false, 1}),
                 (std::vector<RecomputedBlocks>{{0, 1, false, 2}, {1, 1, true, 2}}));
        memory.recomputeParts = {Activations};
        QCOMPARE(recomputedBlocks(model, memory, {1, false, false, 0}),
                 (std::vector<RecomputedBlocks>{{0, 1, false, 1}}));
    }

    /// The shortest word that says the same of the model, both ways.
    void partsHaveShortWords() {
        using enum RecomputePart;
        ModelSpec dense, experts;
        experts.kind = ModelKind::GptMoe;
        const auto wordFor = [](const ModelSpec& model, WordSet<RecomputePart> parts) {
            MemorySpec memory;
            recomputeParts(model, parts, memory);
            for (std::size_t i = 0; i < std::size(layoutWords<RecomputePart>); ++i) {
                const auto part = static_cast<RecomputePart>(i);
                if (recomputes(memory, part) != parts.has(part) && (part != Experts || hasExperts(model)))
                    return std::string("lost");
            }
            return std::string(wordOf(memory.recompute));
        };
        QCOMPARE(wordFor(dense, {}), std::string("none"));
        QCOMPARE(wordFor(dense, {Core}), std::string("selective"));
        QCOMPARE(wordFor(dense, {Heads}), std::string("latent"));
        QCOMPARE(wordFor(dense, {Norms, Activations}), std::string("pointwise"));
        QCOMPARE(wordFor(dense, {FeedForward}), std::string("mlp"));
        QCOMPARE(wordFor(experts, {FeedForward}), std::string("parts"));
        QCOMPARE(wordFor(experts, {FeedForward, Experts}), std::string("mlp"));
        QCOMPARE(wordFor(dense, {Core, FeedForward}), std::string("parts"));
        QCOMPARE(wordFor(dense, {Norms}), std::string("parts"));
    }

    /// Korthikanti et al., 2205.05198, in 16 bits, of a block: sbh(34 + 5as/h) and, selective, 34sbh, shared by t where
    /// tokens are split; full: 2sbh. Ours in 32 bits are twice that, less the masks they do not keep (2 of the 34) and
    /// probabilities after dropout and its mask (3 of the 5); statistics of the norms, 4 a token, are new.
    void blocksKeepWhatThePaperSays() {
        const double b = 2, s = 24, h = 96, a = 12;
        constexpr int blocks = 3;
        for (const int t : {1, 2, 3, 6}) {
            const auto bytes = [&](const std::string& recompute) {
                Layout layout = paperLayout(recompute);
                layout.parallel.tensor = t;
                layout.parallel.sequence = t > 1;
                return keptBytes(layout, blocks) / blocks;
            };
            const double statistics = 4 * 4 * b * s / t;
            QCOMPARE(bytes("none") - statistics, 2 * (s * b * h / t) * (32 + 2 * a * s / h));
            QCOMPARE(bytes("selective") - statistics, 2 * (s * b * h / t) * 32);
            QCOMPARE(bytes("full"), 2 * (s * b * h / t) * 2);
            // The 32 are: input 2 and norm 2 of each half; qkv 6 and output 2; 8 before the activation and 8 after.
            QCOMPARE(bytes("mlp") - statistics / 2, 2 * (s * b * h / t) * (14 + 2 * a * s / h));
            QCOMPARE(bytes("pointwise") - statistics, 2 * (s * b * h / t) * (20 + 2 * a * s / h));
            // The input of the second half is made again, or comes over a link and stays.
            const double ofHalf = t > 1 ? 2 : 0;
            QCOMPARE(bytes("operations") - statistics, 2 * (s * b * h / t) * (18 + ofHalf + 2 * a * s / h));
        }
    }

    /// 1604.06174: a segment's input stays, so of L blocks in segments of k, L/k.
    void segmentsKeepTheirInputs() {
        const double boundary = 4.0 * 24 * 2 * 96;
        Layout layout = paperLayout("every");
        layout.memory.recomputeEvery = 4;
        QCOMPARE(keptBytes(layout, 12), 3 * boundary);
        QCOMPARE(keptBytes(paperLayout("sqrt"), 9), 3 * boundary);
    }

    /// Longer segments keep fewer inputs, and need more while one of them goes backward: most where it is the whole.
    void longSegmentsNeedMoreAtOnce() {
        const auto peak = [](const std::string& recompute, int every) {
            Layout layout = paperLayout(recompute);
            layout.model.layers = 36;
            layout.model.hidden = 24;
            layout.model.heads = 2;
            layout.memory.recomputeEvery = every;
            layout.parallel = {1, 1};
            layout.cluster.hosts = {{"localhost", 1}};
            layout.batch = {1, 1};
            layout.optimizer.kind = OptimizerKind::Sgd;
            return planOf(layout).memory[0].bytes[static_cast<std::size_t>(MemoryCategory::Activations)];
        };
        QVERIFY(peak("full", 1) < peak("none", 1) / 4);
        QCOMPARE(peak("every", 1), peak("full", 1));
        QCOMPARE(peak("every", 6), peak("sqrt", 1));
        QVERIFY(peak("full", 1) < peak("sqrt", 1));
        QVERIFY(peak("sqrt", 1) < peak("none", 1) / 2);
        QVERIFY(peak("every", 36) > 3 * peak("sqrt", 1));
    }

    /// At most one extra forward of the blocks: a step of F + B = 3 forwards becomes one of less than 4.
    void backwardsTakeOneForwardMore() {
        const auto costs = [](const std::string& recompute) {
            Layout layout = paperLayout(recompute);
            layout.parallel = {1, 2};
            layout.cluster.hosts = {{"localhost", 2}};
            return planOf(layout).costs;
        };
        const StageCosts none = costs("none").stages[0], selective = costs("selective").stages[0];
        QCOMPARE(none.recompute, 0.0);
        QVERIFY(selective.recompute > 0 && selective.recompute < none.forward / 2);
        for (const char* kind : {"full", "sqrt", "every"}) {
            const StageCosts again = costs(kind).stages[0];
            QCOMPARE(again.forward, none.forward);
            QCOMPARE(again.weightGrad, none.weightGrad);
            QVERIFY(qFuzzyCompare(again.inputGrad, none.inputGrad + again.recompute));
            QVERIFY(qFuzzyCompare(again.backward, again.inputGrad + again.weightGrad));
            QVERIFY(again.recompute > 0.9 * none.forward && again.recompute < none.forward);  // the embedding is not
        }
        const StageCosts mlp = costs("mlp").stages[0], pointwise = costs("pointwise").stages[0],
                         operations = costs("operations").stages[0];
        QVERIFY(mlp.recompute > 0.4 * none.forward && mlp.recompute < costs("full").stages[0].recompute);
        QVERIFY(pointwise.recompute > 0 && pointwise.recompute < mlp.recompute);
        // Besides, of twelve parts of the products' work one: h·h of h·(3h + h + 4h + 4h).
        const double product = operations.recompute - pointwise.recompute;
        QVERIFY(product > 0 && product < none.forward / 8 && operations.recompute < mlp.recompute);
        for (const StageCosts& again : {mlp, pointwise, operations}) {
            QCOMPARE(again.forward, none.forward);
            QVERIFY(qFuzzyCompare(again.inputGrad, none.inputGrad + again.recompute));
        }
        const StageCosts last = costs("full").stages[1];
        QVERIFY(last.recompute < last.forward);  // nor is the output
    }

    /// Partitioned over t members, inputs of segments are 1/t of what they were; each is gathered once for its
    /// backward.
    void inputsInParts() {
        for (const int t : {2, 4}) {
            Layout layout = paperLayout("full");
            layout.model.heads = 4;
            layout.parallel = {.data = 1, .pipeline = 2, .tensor = t};
            layout.cluster.hosts = {{"localhost", 2 * t}};
            layout.schedule.kind = "gpipe";
            layout.batch = {8, 2};
            const Plan whole = planOf(layout);
            layout.memory.partitionActivations = true;
            const Plan parts = planOf(layout);
            const std::int64_t input =
                4 * std::int64_t{layout.batch.micro} * layout.model.sequence * layout.model.hidden;
            const int blocks = layout.model.layers / 2, m = microbatches(layout);
            // The last rank's first input came from another rank and lay in Buffers; one segment is whole again at the
            // peak.
            const auto activations = [](const Plan& plan) {
                return plan.memory[0].bytes[std::size_t(MemoryCategory::Activations)];
            };
            QCOMPARE(activations(whole) - activations(parts), (std::int64_t{m} * blocks - 1) * (input - input / t));
            std::int64_t gathered = 0;
            for (const AxisTraffic& axis : parts.traffic)
                if (axis.what.english().starts_with("inputs of segments")) gathered += axis.bytes;
            QCOMPARE(gathered, std::int64_t{m} * layout.model.layers * (t - 1) * input);
            QVERIFY(std::ranges::none_of(
                whole.traffic, [](const AxisTraffic& axis) { return axis.what.english().starts_with("inputs"); }));
            const StageCosts &with = parts.costs.stages[0], &without = whole.costs.stages[0];
            QVERIFY(with.recompute > without.recompute && with.forward == without.forward);
            QVERIFY(qFuzzyCompare(with.inputGrad - with.recompute, without.inputGrad - without.recompute));
            QVERIFY(std::ranges::any_of(parts.notes, [](const Sentence& note) {
                return note.english().starts_with("partitioned activations");
            }));
            // Where tokens are split, or nothing is computed again, there is nothing to part.
            layout.parallel.sequence = true;
            const Plan split = planOf(layout);
            layout.memory.partitionActivations = false;
            QCOMPARE(planOf(layout).memory[0].peak, split.memory[0].peak);
        }
    }

    /// The collectives of a forward that is done again count in traffic: per block one more of each forward's.
    void collectivesAreDoneAgain() {
        const auto traffic = [](const std::string& recompute) {
            Layout layout = paperLayout(recompute);
            layout.parallel = {1, 1, 2};
            layout.cluster.hosts = {{"localhost", 2}};
            layout.batch = {4, 2};
            std::int64_t bytes = 0;
            for (const AxisTraffic& axis : planOf(layout).traffic)
                if (axis.what.english().starts_with("activations")) bytes += axis.bytes;
            return bytes;
        };
        // Two all-reduces of N·h a block and microbatch, of a ring of two: 2(2−1) of the buffer.
        const std::int64_t buffer = 4 * 2 * 24 * 96, again = 12 * 2 * 2 * 2 * buffer;
        QCOMPARE(traffic("full") - traffic("none"), again);
        QCOMPARE(traffic("every") - traffic("none"), again);
        QCOMPARE(traffic("mlp") - traffic("none"), again / 2);
        QCOMPARE(traffic("selective"), traffic("none"));
        QCOMPARE(traffic("pointwise"), traffic("none"));
        QCOMPARE(traffic("operations"), traffic("none"));
    }

    /// Queries, keys and values of all heads are not kept; where tokens are split, the latents come together again.
    void headsAreMadeAgain() {
        for (const int queryRank : {0, 16}) {
            const auto layoutOf = [&](const std::string& recompute, int tensor) {
                Layout layout = paperLayout(recompute);
                BlockSpec& block = layout.model.block;
                block.positions = PositionKind::Rotary;
                block.kvRank = 8;
                block.queryRank = queryRank;
                block.ropeWidth = 4;
                layout.parallel = {1, 1, tensor};
                layout.parallel.sequence = tensor > 1;
                layout.cluster.hosts = {{"localhost", tensor}};
                layout.batch = {4, 2};
                return layout;
            };
            const ModelSpec model = layoutOf("none", 1).model;
            for (const int tensor : {1, 2}) {
                const double made = 4.0 * 2 * 24 * double(queryColumns(model) + expandedColumns(model)) / tensor;
                QCOMPARE(keptBytes(layoutOf("none", tensor), 3) - keptBytes(layoutOf("latent", tensor), 3), 3 * made);
            }
            const StageCosts none = planOf(layoutOf("none", 1)).costs.stages[0],
                             latent = planOf(layoutOf("latent", 1)).costs.stages[0];
            QCOMPARE(latent.forward, none.forward);
            QVERIFY(latent.recompute > 0 && latent.recompute < none.forward / 2);
            QVERIFY(qFuzzyCompare(latent.inputGrad, none.inputGrad + latent.recompute));
            const auto traffic = [&](const std::string& recompute) {
                std::int64_t bytes = 0;
                for (const AxisTraffic& axis : planOf(layoutOf(recompute, 2)).traffic) bytes += axis.bytes;
                return bytes;
            };
            // An all-gather of two brings each the other's half.
            const std::int64_t token = 4 * (8 + (queryRank > 0 ? queryRank : 96));
            QCOMPARE(traffic("latent") - traffic("none"), 12 * 2 * 2 * 24 * token);
        }
    }

    /// In a context group of two that exchange heads, queries, keys and values are exchanged again instead of kept.
    void headsAreExchangedAgain() {
        const auto layoutOf = [&](const std::string& recompute) {
            Layout layout = paperLayout(recompute);
            layout.model.block.positions = PositionKind::Rotary;
            layout.model.block.kvRank = 8;
            layout.model.block.ropeWidth = 4;
            layout.parallel = {.data = 1, .pipeline = 1, .context = 2, .contextKind = ContextKind::Ulysses};
            layout.cluster.hosts = {{"localhost", 2}};
            layout.batch = {4, 2};
            return layout;
        };
        const double exchanged = 4.0 * 2 * 12 * 3 * double(queryColumns(layoutOf("none").model));
        QCOMPARE(keptBytes(layoutOf("none"), 3) - keptBytes(layoutOf("latent"), 3), 3 * exchanged);
        std::int64_t more = 0;
        for (const AxisTraffic& axis : planOf(layoutOf("latent")).traffic) more += axis.bytes;
        for (const AxisTraffic& axis : planOf(layoutOf("none")).traffic) more -= axis.bytes;
        // Each of two members sends half, in 12 layers and two microbatches.
        QCOMPARE(more, 12 * 2 * 2 * std::int64_t(exchanged) / 2);
    }

    void predictedSpansLieWithinBackwards() {
        for (const char* schedule : {"1f1b", "zb-h1"})
            for (const char* kind : {"selective", "full", "every", "mlp", "pointwise", "operations"}) {
                Layout layout = paperLayout(kind);
                layout.schedule.kind = schedule;
                layout.parallel = {1, 4};
                layout.cluster.pace = PaceSpec{};  // no cores to share
                layout.memory.recomputeEvery = 2;
                const Plan plan = planOf(layout);
                double again = 0, wanted = 0;
                std::int64_t reached = 0;
                Event around;
                for (const Event& event : plan.simulation.events) {
                    if (event.lane != Lane::Compute) continue;
                    if (isCompute(event.kind)) around = event;
                    if (event.kind == EventKind::Backward || event.kind == EventKind::InputGrad) {
                        wanted +=
                            plan.costs.stages[actionFromId(event.action).stage].recompute * plan.costs.stretch * 1e9;
                        reached = event.begin;
                    }
                    if (event.kind != EventKind::Recompute) continue;
                    QCOMPARE(event.action, around.action);
                    QVERIFY(event.begin >= reached && event.end <= around.end);
                    reached = event.end;
                    again += static_cast<double>(event.end - event.begin);
                }
                QVERIFY(std::abs(again / wanted - 1) < 1e-3);
            }
    }

    void whatCannotBeRecomputedIsRefused() {
        const auto faultAt = [](auto change) {
            Layout layout;
            change(layout);
            std::string all;
            for (const Fault& fault : check(layout, scheduleMethods()))
                if (fault.pointer == "/memory/recompute") all += fault.what.english();
            return all;
        };
        QCOMPARE(faultAt([](Layout& l) { l.memory.recompute = RecomputeKind::Selective; }), std::string());
        QCOMPARE(faultAt([](Layout& l) {
                     l.model.kind = ModelKind::Mlp;
                     l.memory.recompute = RecomputeKind::Selective;
                 }),
                 std::string("the mlp has no attention whose probabilities could be computed again"));
        QCOMPARE(faultAt([](Layout& l) { l.memory.recompute = RecomputeKind::Latent; }),
                 std::string("the gpt has no latent attention whose heads could be made again"));
        for (const char* kind : {"selective", "full", "sqrt", "every", "mlp", "pointwise", "operations"})
            QCOMPARE(faultAt([&](Layout& l) {
                         l.parallel.zero = 3;
                         l.memory.recompute = named(kind);
                     }),
                     std::string());
    }

    /// ZeRO 3: a backward gathers each weight once, the layers of a segment from its bottom, segments from the top; a
    /// stage of embedding (layer 0), five blocks of one layer in segments of two, output (layer 6).
    void gathersFollowTheSegments() {
        ModelSpec model;
        model.kind = ModelKind::Mlp;
        const StageShape shape{5, true, true, 0};
        const std::vector<int> segments = layerSegments(model, {RecomputeKind::Every, 2}, shape);
        QCOMPARE(segments, (std::vector<int>{-1, 1, 1, 3, 3, 5, -1}));
        // Table, positions, blocks of 100 to 500, norm of the output.
        std::vector<FlatUnit> units{{0, 6, 0, 1000, true}, {0, 0, 1000, 50}};
        for (int block = 1; block <= 5; ++block) units.push_back({block, block, units.back().end(), 100 * block});
        units.push_back({6, 6, units.back().end(), 10});
        const auto order = [&](const std::vector<int>& by) {
            std::vector<std::pair<int, std::int64_t>> all;
            for (const UnitGather& gather : backwardGathers(units, by, true))
                all.emplace_back(gather.layer, gather.unit.size);
            return all;
        };
        using Order = std::vector<std::pair<int, std::int64_t>>;
        QCOMPARE(order(segments), (Order{{6, 1000}, {6, 10}, {5, 500}, {3, 300}, {4, 400}, {1, 100}, {2, 200}}));
        // What several blocks use is there for the lowest of them in the segment that is computed again first.
        const auto shared = [&](int lowest, int highest) {
            for (const UnitGather& gather : backwardGathers({{lowest, highest, 0, 7}}, segments, true))
                return std::pair(gather.layer, gather.group);
            return std::pair(-1, -1);
        };
        QCOMPARE(shared(3, 4), std::pair(3, 3));
        QCOMPARE(shared(1, 4), std::pair(3, 3));
        QCOMPARE(shared(0, 2), std::pair(1, 5));
        QCOMPARE(shared(4, 5), std::pair(5, 1));
        QCOMPARE(shared(4, 6), std::pair(6, 0));
        const std::vector<int> none = layerSegments(model, {RecomputeKind::None, 2}, shape);
        QCOMPARE(order(none), (Order{{6, 1000}, {6, 10}, {5, 500}, {4, 400}, {3, 300}, {2, 200}, {1, 100}}));
        // What is held at once, without the table, which stays: 500 and 400; 500 and then 300 + 400 with the first
        // layer of the segment below, 100; the whole stage.
        QCOMPARE(gatherRoom(units, none, true), 900);
        QCOMPARE(gatherRoom(units, segments, true), 900);
        QCOMPARE(gatherRoom(units, layerSegments(model, {RecomputeKind::Every, 3}, shape), true), 400 + 500 + 100);
        QCOMPARE(gatherRoom(units, layerSegments(model, {RecomputeKind::Every, 9}, shape), true), 1500);
        QCOMPARE(gatherRoom(units, layerSegments(model, {RecomputeKind::Full, 2}, shape), true), 900);
    }

    /// What it costs: no traffic, as much memory as a segment has layers, time that the second forward takes; gathers
    /// of the segment below go on beside the backward of the one above.
    void zeroThreeStatesWhatItCosts() {
        const auto plan = [](const std::string& recompute) {
            Layout layout = paperLayout(recompute);
            layout.memory.recomputeEvery = 4;
            layout.parallel = {2, 1};
            layout.parallel.zero = 3;
            layout.cluster.hosts = {{"localhost", 2}};
            layout.cluster.pace = PaceSpec{};
            return planOf(layout);
        };
        const auto gathered = [](const Plan& of) {
            std::int64_t bytes = 0;
            for (const AxisTraffic& axis : of.traffic)
                if (axis.what.english().find("all-gather") != std::string::npos) bytes += axis.bytes;
            return bytes;
        };
        const auto buffers = [](const Plan& of) {
            return of.memory[0].bytes[static_cast<std::size_t>(MemoryCategory::Buffers)];
        };
        const Plan none = plan("none"), full = plan("full"), every = plan("every");
        constexpr std::int64_t h = 96, block = 12 * h * h + 13 * h, attention = 4 * h * h + 6 * h;
        QCOMPARE(gathered(full), gathered(none));
        QCOMPARE(gathered(every), gathered(none));
        // Embedding and the first attention are the two neighbours that need most where nothing is computed again.
        const std::int64_t stay = (256 + 24) * h - 256 * h;  // the table has a place of its own
        const std::int64_t widest = std::max(stay + attention, block);
        QCOMPARE(buffers(full) - buffers(none), 4 * (block + attention - widest));
        QCOMPARE(buffers(every) - buffers(none), 4 * (4 * block + attention - widest));
        const auto note = [](const Plan& of) {
            return std::ranges::any_of(of.notes, [](const Sentence& each) {
                return each.english().find("kept from its second forward to its backward") != std::string::npos;
            });
        };
        QVERIFY(!note(none) && note(full) && note(every));
        // The bottom of a segment is gathered beside the segment above.
        const DataCosts& costs = every.costs.stages[0].data;
        std::optional<Event> above;
        int seen = 0;
        for (const Event& again : every.simulation.events) {
            if (again.rank != 0 || again.kind != EventKind::Recompute) continue;
            if (above && above->action == again.action) {
                const int bottom = 1 + 2 * 4 * (1 - seen % 2);
                for (const Event& gather : every.simulation.events) {
                    const Action action = actionFromId(gather.action);
                    if (gather.rank != 0 || action.kind != ActionKind::GatherBackward) continue;
                    if (gather.kind != EventKind::GatherParameters ||
                        action.microbatch != actionFromId(again.action).microbatch)
                        continue;
                    if (costs.gatherBackward[static_cast<std::size_t>(gather.value)].layer != bottom) continue;
                    QVERIFY(gather.begin >= above->begin && gather.begin < above->end);
                    ++seen;
                }
            }
            above = again;
        }
        QCOMPARE(seen, 2 * every.lowered.microbatches);
        QVERIFY(every.simulation.stepSeconds >= simulatedSeconds(every.lowered, withoutRecompute(every.costs)));
    }
};

QTEST_GUILESS_MAIN(RecomputePlanTest)
#include "recompute_plan_test.moc"
