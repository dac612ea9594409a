// SPDX-License-Identifier: Apache-2.0
// The memory ledger against the arena: the same list of actions, once counted, once carried out by real stages.
#include "engine/predict/plan/ledger.h"

#include <QTest>
#include <array>
#include <map>

#include "engine/base/random.h"
#include "engine/layout/formats.h"
#include "engine/layout/kept_activations.h"
#include "engine/layout/layout_file.h"
#include "engine/train/model/activation_host.h"
#include "engine/train/model/host_copy.h"
#include "engine/train/model/stage.h"
#include "engine/train/optim/optimizer.h"
#include "engine/train/parallel/context.h"
#include "engine/train/parallel/expert.h"
#include "engine/train/parallel/tensor.h"
#include "engine/predict/plan/plan.h"
#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/schedule/text.h"
#include "tests/support/named.h"
#include "tests/support/random_block.h"
#include "tests/support/random_experts.h"
#include "tests/support/random_parts.h"
#include "tests/support/seed.h"
#include "tests/train/rank_threads.h"
#include "tests/support/wings.h"

using namespace shardlab::test;

namespace {

/// One pipeline rank without its neighbours: what it receives is zeros, what it sends is kept as long as the ledger
/// says.
class LoneRank {
public:
    LoneRank(const Layout& layout, const Schedule& lowered, int rank, Communicator& tensor, Communicator& context,
             Communicator& experts)
        : layout_(layout), lowered_(lowered), rank_(rank),
          tensor_(tensor.size() == 1 ? std::make_unique<TensorGroup>(arena_)
                                     : std::make_unique<TensorParallel>(arena_, tensor, layout.parallel.sequence)),
          context_(context.size() == 1 ? nullptr
                                       : std::make_unique<ContextParallel>(context, layout.parallel.contextKind)),
          experts_(experts.size() == 1 ? nullptr
                                       : std::make_unique<ExpertParallel>(experts, MemberSamples{layout.batch.micro})) {
        const std::vector<StageShape> shapes = stageShapes(layout);
        int first = 0;
        for (int stage = 0; stage < lowered.stages(); ++stage) {
            const int count = shapes[static_cast<std::size_t>(stage)].layers;
            if (lowered.rankOfStage[static_cast<std::size_t>(stage)] == rank) {
                StageSpec spec{layout.model,      1, first, count, stage == 0, stage + 1 == lowered.stages(),
                               layout.batch.micro};
                spec.memory = layout.memory;
                spec.precision = layout.precision;
                spec.microbatches = microbatches(layout);
                stages_[stage] = std::make_unique<Stage>(spec, arena_, *tensor_, context_.get(), experts_.get());
                if (keepsSparsely(layout.memory)) cutHalf(*stages_[stage]);
                optimizers_.push_back(makeOptimizer({layout.optimizer, 1, numberFormats(layout.precision).master},
                                                    stages_[stage]->parameters(), arena_));
            }
            first += count;
        }
        for (const StageShape& shape : stageShapes(layout))
            elements_.push_back(static_cast<std::size_t>(
                boundaryFloats(layout.model, shape.firstLayer, layout.batch.micro, tensorShare(layout))));
        const auto samples = static_cast<std::size_t>(layout.batch.micro);
        const int members = context.size();
        tokens_.assign(samples * static_cast<std::size_t>(sampleInputs(layout.model) / members), 1);
        targets_.assign(samples * static_cast<std::size_t>(sampleTargets(layout.model) / members), 1);
        further_.assign(static_cast<std::size_t>(predictionModules(layout.model)), targets_);
        if (!scalesLoss(layout.precision)) return;
        overflow_ = arena_.allocateZeroed(MemoryCategory::Buffers, 1, DType::I32);  // as the executor does
        for (auto& [index, stage] : stages_) stage->watchOverflow(static_cast<std::int32_t*>(overflow_.data().data));
    }

    void run() {
        arena_.resetPeaks();
        const auto rank = static_cast<std::size_t>(rank_);
        if (!lowered_.flushes()) {
            for (const auto* list : {&lowered_.fill[rank], &lowered_.ranks[rank]})
                for (const Action& action : *list) visit(action);
            border();
        }
        for (const Action& action : lowered_.ranks[rank]) visit(action);
    }
    const Arena& arena() const { return arena_; }
    const Arena& host() const { return host_; }
    bool clean() const { return products_.empty() || !lowered_.flushes(); }
    int weightVersions() const { return mostVersions_; }

private:
    /// Gives convolutions biases alone, every second one above 0, so that a ReLU cuts as much as the plan takes it to.
    void cutHalf(Stage& stage) {
        for (const Parameter& parameter : stage.parameters()) {
            if (!parameter.name.starts_with("h.")) continue;
            std::vector<float> values(parameter.value.size());
            if (parameter.name.ends_with(".bias"))
                for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 1 : -1;
            upload(arena_.device(), values, parameter.value);
        }
    }

    void visit(const Action& action) {
        if (isReceive(action.kind)) {
            products_[otherEnd(action)] = arena_.allocateZeroed(
                MemoryCategory::Buffers,
                elements_[static_cast<std::size_t>(std::max<int>(action.stage, otherEnd(action).stage))],
                Types(numberFormats(layout_.precision)).activations);
        } else if (isSend(action.kind)) {
            leaving_.push_back(take(action));
        } else if (action.kind == ActionKind::SwapOut) {
            const auto [out, added] = swapped_.try_emplace({action.stage, action.microbatch}, *stages_.at(action.stage),
                                                           action.microbatch, host_);
            if (!added) throw std::runtime_error("swapped out twice");
            out->second.store(arena_.device());
        } else if (action.kind == ActionKind::SwapFree) {
            swapped_.at({action.stage, action.microbatch}).leaveDevice();
        } else if (action.kind == ActionKind::SwapIn) {
            SwappedActivations& back = swapped_.at({action.stage, action.microbatch});
            back.enterDevice(*stages_.at(action.stage), action.microbatch, arena_);
            back.restore(arena_.device());
        } else if (isCompute(action.kind)) {
            if (givesInputGrad(action.kind)) swapped_.erase({action.stage, action.microbatch});
            compute(action);
            leaving_.clear();
        } else if (action.kind == ActionKind::StashWeights) {
            const ArraySpan weights = stages_.at(action.stage)->parameterBlock();
            kept_[action.version] = arena_.allocate(MemoryCategory::Parameters, weights.size(), weights.type());
            mostVersions_ = std::max(mostVersions_, 1 + static_cast<int>(kept_.size()));
        } else if (action.kind == ActionKind::FreeWeights) {
            kept_.erase(action.version);
        }
    }

    /// What goes on in the next step gets its number there.
    void border() {
        for (auto& [index, stage] : stages_) stage->renumber(-lowered_.microbatches);
        std::map<Action, Buffer> products;
        for (auto& [send, buffer] : products_) {
            Action moved = send;
            moved.microbatch -= lowered_.microbatches;
            products[moved] = std::move(buffer);
        }
        products_ = std::move(products);
        std::map<int, Buffer> kept;
        for (auto& [version, buffer] : kept_) kept[version - lowered_.updates] = std::move(buffer);
        kept_ = std::move(kept);
    }

    void compute(const Action& action) {
        Stage& stage = *stages_.at(action.stage);
        const TokenBatch batch{tokens_, targets_, 0, further_};
        const Action up{ActionKind::SendForward, action.stage, action.microbatch},
            down{ActionKind::SendBackward, action.stage, action.microbatch};
        if (action.kind == ActionKind::Forward) {
            Buffer output = stage.forward(action.microbatch, batch,
                                          take({ActionKind::SendForward, action.stage - 1, action.microbatch}));
            if (!output.empty()) products_[up] = std::move(output);
        } else if (action.kind == ActionKind::WeightGrad) {
            stage.weightGrad(action.microbatch);
        } else {
            Buffer gradient = take({ActionKind::SendBackward, action.stage + 1, action.microbatch});
            Buffer below = action.kind == ActionKind::Backward
                               ? stage.backward(action.microbatch, std::move(gradient), 1)
                               : stage.inputGrad(action.microbatch, std::move(gradient), 1);
            if (!below.empty()) products_[down] = std::move(below);
        }
    }

    /// A product by the send that would carry it; empty at the pipeline's ends.
    Buffer take(const Action& send) {
        auto found = products_.extract(send);
        return found.empty() ? Buffer() : std::move(found.mapped());
    }

    const Layout& layout_;
    const Schedule& lowered_;
    int rank_;
    Arena arena_, host_;
    std::map<std::pair<int, int>, SwappedActivations> swapped_;  ///< by stage and microbatch
    std::unique_ptr<TensorGroup> tensor_;
    std::unique_ptr<ContextGroup> context_;
    std::unique_ptr<ExpertGroup> experts_;
    std::map<int, std::unique_ptr<Stage>> stages_;
    std::vector<std::unique_ptr<Optimizer>> optimizers_;
    Buffer overflow_;
    std::map<Action, Buffer> products_;
    std::vector<Buffer> leaving_;
    std::map<int, Buffer> kept_;  ///< weights by version; such a rank has one stage
    int mostVersions_ = 1;
    std::vector<std::int32_t> tokens_, targets_;
    std::vector<std::vector<std::int32_t>> further_;
    std::vector<std::size_t> elements_;  ///< of what each stage takes from the one below
};

void compare(const Layout& layout, const Schedule& lowered) {
    const Mesh mesh(layout);
    const auto ledger = memoryLedger(layout, lowered, mesh);
    for (int rank = 0; rank < static_cast<int>(lowered.ranks.size()); ++rank) {
        // The members of a tensor, a context or an expert group, each a thread; of the pipeline only this rank.
        const int t = layout.parallel.tensor, c = layout.parallel.context, members = t * c * layout.parallel.expert;
        std::vector<MemoryBytes> categories(static_cast<std::size_t>(members)), hosts(categories);
        std::vector<std::int64_t> peaks(categories.size());
        std::vector<int> versions(categories.size());
        const std::string error = runRanks(members, [&](int member, Communicator& world) {
            std::vector<int> ofTensor, ofContext, ofExperts;
            for (int other = 0; other < members; ++other) {
                if (other / t == member / t) ofTensor.push_back(other);
                if (other % t == member % t && other / (t * c) == member / (t * c)) ofContext.push_back(other);
                if (other % (t * c) == member % (t * c)) ofExperts.push_back(other);
            }
            const auto tensor = world.group(ofTensor), context = world.group(ofContext),
                       experts = world.group(ofExperts);
            LoneRank lone(layout, lowered, rank, *tensor, *context, *experts);
            lone.run();
            if (!lone.clean()) throw std::runtime_error("something was left over");
            categories[static_cast<std::size_t>(member)] = lone.arena().peakByCategory();
            hosts[static_cast<std::size_t>(member)] = lone.host().peakByCategory();
            peaks[static_cast<std::size_t>(member)] = lone.arena().peak();
            versions[static_cast<std::size_t>(member)] = lone.weightVersions();
        });
        QVERIFY2(error.empty(), error.c_str());
        for (int member = 0; member < members; ++member) {
            Coordinates place{};
            place[Axis::Pipeline] = rank;
            place[Axis::Data] = member / (t * c);
            place[Axis::Context] = member / t % c;
            place[Axis::Tensor] = member % t;
            const RankMemory& predicted = ledger[static_cast<std::size_t>(mesh.rank(place))];
            const MemoryBytes& allocated = categories[static_cast<std::size_t>(member)];
            const QString name = QString("rank %1, member %2").arg(rank).arg(member);
            if (predicted.bytes != allocated || predicted.peak != peaks[static_cast<std::size_t>(member)])
                qWarning("%s", writeLayout(layout).c_str());
            for (std::size_t category = 0; category < memoryCategoryCount; ++category)
                QVERIFY2(predicted.bytes[category] == allocated[category],
                         qPrintable(QString("%1 %2: %3 predicted, %4 allocated")
                                        .arg(name)
                                        .arg(category)
                                        .arg(predicted.bytes[category])
                                        .arg(allocated[category])));
            QVERIFY2(predicted.host == hosts[static_cast<std::size_t>(member)], qPrintable(name + " on the host"));
            QCOMPARE(predicted.weightVersions, versions[static_cast<std::size_t>(member)]);
            const std::int64_t peak = peaks[static_cast<std::size_t>(member)];
            QVERIFY2(predicted.peak == peak,
                     qPrintable(QString("%1: %2 predicted, %3 allocated").arg(name).arg(predicted.peak).arg(peak)));
        }
    }
}

}  // namespace

class LedgerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ledgerIsTheArenaToTheByte() {
        const std::uint32_t seed = freshSeed();
        RandomStream random(seed, "layouts");
        const auto below = [&](int n) { return static_cast<int>(random.below(static_cast<std::uint32_t>(n))); };
        for (int i = 0; i < 150; ++i) {
            Layout layout;
            const int p = 1 + static_cast<int>(random.below(4)), m = 1 + static_cast<int>(random.below(5));
            const int heads = 1 + static_cast<int>(random.below(3));
            const std::array kinds{"gpt", "mlp", "gpt-moe", "llama", "cnn", "llama-moe"};
            layout.model = {named(kinds[random.below(kinds.size())]),
                            p * (1 + static_cast<int>(random.below(2))),
                            heads * (2 + static_cast<int>(random.below(6))),
                            heads,
                            2 + static_cast<int>(random.below(9)),
                            256 + static_cast<int>(random.below(9)),
                            0};
            layout.parallel.data = 1 + static_cast<int>(random.below(2));
            layout.parallel.pipeline = p;
            const bool experts = hasExperts(layout.model), llama = traits(layout.model.kind).llamaParts,
                       images = readsImages(layout.model);
            if (llama) {
                layout.model.hidden = heads * 2 * (1 + static_cast<int>(random.below(3)));
                layout.model.block.kvHeads = heads == 2        ? 1 + static_cast<int>(random.below(2))
                                             : random.below(2) ? 1
                                                               : heads;
            }
            if (choosesParts(layout.model)) drawBlock(layout.model, below);
            if (layout.model.kind == ModelKind::GptMoe) layout.model.layers = std::max(2, layout.model.layers);
            layout.parallel.tensor = experts || images ? 1 : 1 + static_cast<int>(random.below(3));
            if (const int t = layout.parallel.tensor; t > 1) {
                layout.model.heads *= t;
                // Members may share heads of keys.
                if (t % std::max(1, layout.model.block.kvHeads) != 0 || random.below(2))
                    layout.model.block.kvHeads *= t;
                layout.model.hidden *= t;
                layout.parallel.sequence = random.below(2);
                if (layout.parallel.sequence) layout.model.sequence *= t;
            }
            layout.model.dropout = random.below(2) ? 0.1 : 0;
            if (!images && random.below(3) == 0) {
                layout.parallel.context = 2 + static_cast<int>(random.below(2));
                const int c = layout.parallel.context;
                layout.model.sequence *= 2 * c;
                if (random.below(2)) {
                    layout.parallel.contextKind = ContextKind::Ulysses;
                    layout.model.heads *= c;
                    layout.model.hidden *= c;
                }
            }
            if (const int t = layout.parallel.tensor; t > 1 && !exchangesHeads(layout)) {  // they need not divide
                int &queries = layout.model.heads, &keys = layout.model.block.kvHeads;
                const int width = layout.model.hidden / queries, ofKey = keys > 0 ? queries / keys : 1, more = below(t);
                const bool shared = keys > 0 && keys < t;
                if (keys > 0 && !shared) keys += more;
                queries += shared ? keys * more : ofKey * more;
                layout.model.hidden = queries * width;
            }
            const ScheduleMethod& method = generatedMethods()[random.below(generatedMethods().size())];
            // How many rows come where experts are spread in context groups, the run alone knows.
            if (experts && layout.parallel.context == 1 && random.below(2))
                layout.parallel.expert = layout.parallel.data = 2 + below(2);
            // A member of a context group none of whose tokens has a place rounds no weights, and needs less than
            // planned.
            if (experts)
                drawExperts(layout.model, below, layout.parallel.expert, layout.parallel.expert > 1,
                            layout.parallel.context > 1);
            layout.cluster.hosts[0].devices =
                p * layout.parallel.data * layout.parallel.tensor * layout.parallel.context;
            layout.batch.micro = 1 + static_cast<int>(random.below(3));
            layout.batch.global = m * layout.batch.micro * layout.parallel.data;
            const int v = method.minChunks;
            layout.schedule.kind = method.name;
            layout.schedule.chunks = v;
            layout.schedule.verticalSync = method.takesVerticalSync && random.below(2) == 0;
            if (!method.flushes) layout.optimizer.clip = 0;
            layout.model.layers *= v;
            while (method.refusal != nullptr && method.refusal(scheduleShape(layout)))
                layout.batch.global += layout.batch.micro * layout.parallel.data;
            if (images && layout.model.layers > 6)
                layout.model.layers = p * v;  // maps of the lowest have 4^layers pixels
            if (images) {
                layout.model.cnn.image = 1 << layout.model.layers;
                layout.model.cnn.channels = 1 + static_cast<int>(random.below(3));
                layout.model.cnn.convolutions = 1 + static_cast<int>(random.below(3));
                layout.model.cnn.classes = 2 + static_cast<int>(random.below(300));
                layout.model.hidden = 1 + static_cast<int>(random.below(3));
            }
            if (random.below(3) == 0) {
                layout.schedule.stages.assign(static_cast<std::size_t>(p * v), 1);
                layout.schedule.stages[0] = layout.model.layers - p * v + 1;
            } else if (!images && p * v > 1 && random.below(3) == 0) {
                layout.schedule.stages.clear();
                layout.schedule.countEnds = true;
                if (random.below(2))
                    layout.model.layers = std::max(experts ? 2 : 1, p * v - 2);  // the ends have no layer
            }
            if (experts) drawExpertBlocks(layout.model, below);
            if (random.below(6) == 0) layout.model.feedForward = {layout.parallel.tensor * 6 + below(7)};
            else if (random.below(3) == 0)
                for (int layer = 0; layer < layout.model.layers; ++layer)
                    layout.model.feedForward.push_back(layout.parallel.tensor + below(150));
            const std::array recomputes{"none",      "full",       "sqrt",      "every", "mlp",
                                        "pointwise", "operations", "selective", "latent"};
            const int legal = images ? 4 : latentAttention(layout.model) ? 9 : hasAttention(layout.model) ? 8 : 7;
            layout.memory.recompute = named(recomputes[static_cast<std::size_t>(below(legal))]);
            layout.memory.recomputeEvery = 1 + static_cast<int>(random.below(3));
            layout.memory.recomputeBlocks = static_cast<int>(random.below(3));
            if (!images && random.below(3) == 0) {
                layout.memory.recompute = RecomputeKind::Parts;
                layout.memory.recomputeParts = randomParts(layout, random);
            }
            if (!images && random.below(3) == 0)
                layout.memory.lossPieces =
                    1 + below(layout.batch.micro * layout.model.sequence / layout.parallel.context);
            layout.memory.partitionActivations = layout.model.hidden % layout.parallel.tensor == 0 && random.below(2);
            if (method.flushes && random.below(2)) layout.memory.swap = SwapKind::Activations;
            if (images && layout.memory.recompute == RecomputeKind::None) {
                const std::array kept{"kept", "lossless", "lossy-16", "lossy-10", "lossy-8"};
                layout.memory.activations = named(kept[random.below(kept.size())]);
                if (keepsSparsely(layout.memory)) layout.model.hidden *= 2;  // an even number of channels
            }
            const std::array optimizers{"adamw", "adamw-8bit", "sgd", "adafactor", "sm3"};
            layout.optimizer.kind = named(optimizers[random.below(5)]);
            layout.optimizer.momentum = random.below(2) ? 0.9 : 0;
            const auto one = [&](std::initializer_list<const char*> of) { return of.begin()[random.below(of.size())]; };
            layout.precision.compute = named(one({"fp32", "bf16", "fp16"}));
            layout.precision.weights = named(one({"master", "fp32", "alone"}));
            layout.precision.gradients = named(one({"compute", "fp32"}));
            layout.precision.lossScale = named(method.flushes ? one({"none", "static", "dynamic"}) : "none");
            layout.precision.products = named(one({"compute", "compute", "fp8", "mxfp8", "fp8-blocks", "fp8-rows"}));
            if (method.flushes && layout.parallel.expert == 1)
                layout.precision.scaling = named(one({"current", "delayed"}));
            layout.precision.amaxHistory = 1 + below(5);
            if (layout.memory.activations == ActivationStorage::Lossy16 &&
                layout.precision.compute != NumberFormat::Fp32)
                layout.memory.activations = ActivationStorage::Lossy10;
            if (!flushes(layout) && stageCount(layout) > 1) layout.model.predictedTokens = 0;
            layout.model.predictedTokens = std::min(layout.model.predictedTokens, layout.model.sequence - 1);
            const auto plan = makePlan(layout);
            QVERIFY2(plan.has_value(), plan ? "" : toText(plan.error()).c_str());
            compare(layout, plan->lowered);
            if (QTest::currentTestFailed()) return;
        }
    }

    /// Where ReLUs cut as much as the plan takes them to, and where maps are so small that they stay as they were.
    void mapsWithoutZerosToo() {
        RandomStream random(freshSeed(), "maps without zeros");
        const auto upTo = [&](int n) { return 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(n))); };
        for (int i = 0; i < 20; ++i) {
            const ScheduleMethod& method = generatedMethods()[random.below(generatedMethods().size())];
            Layout layout;
            layout.parallel.data = 1;
            layout.parallel.pipeline = upTo(3);
            layout.schedule.kind = method.name;
            layout.schedule.chunks = method.minChunks;
            layout.model.kind = ModelKind::Cnn;
            layout.model.layers = layout.parallel.pipeline * method.minChunks;
            layout.model.hidden = 2 * upTo(3);  // an even number of channels
            layout.model.cnn.image = upTo(2) << layout.model.layers;
            layout.model.cnn.convolutions = 1 + upTo(2);
            layout.batch.micro = upTo(2);
            layout.batch.global = layout.batch.micro * upTo(4);
            while (method.refusal != nullptr && method.refusal(scheduleShape(layout)))
                layout.batch.global += layout.batch.micro;
            layout.cluster.hosts[0].devices = layout.parallel.pipeline;
            if (!method.flushes) layout.optimizer.clip = 0;
            if (method.flushes && random.below(2)) layout.memory.swap = SwapKind::Activations;
            if (random.below(2)) layout.precision.compute = NumberFormat::Bf16;
            layout.memory.activations = ActivationStorage::Lossless;
            const auto plan = makePlan(layout);
            QVERIFY2(plan.has_value(), plan ? "" : toText(plan.error()).c_str());
            compare(layout, plan->lowered);
            if (QTest::currentTestFailed()) return;
        }
    }

    void splitBackwardsAndSeveralStagesToo() {
        Layout layout;
        layout.model = {ModelKind::Gpt, 8, 12, 3, 7, 256, 0};
        layout.parallel.data = 1;
        layout.parallel.pipeline = 2;
        layout.schedule.chunks = 2;
        layout.batch = {4, 2};
        layout.model.cnn.image = 256;
        layout.model.cnn.convolutions = 1;  // of such large maps
        for (const char* kind : {"gpt", "mlp", "gpt-moe", "llama", "cnn", "llama-moe"})
            for (const char* csv :
                 {"0F0,0F1,2F0,2F1,2B0,2B1,0B0,0B1\n1F0,1F1,3F0,3B0,3F1,3B1,1B0,1B1\n",
                  "0F0,0F1,2F0,2F1,2I0,2I1,0I0,2W0,0I1,2W1,0W0,0W1\n1F0,1F1,3F0,3I0,3F1,3W0,3I1,3W1,1I0,1I1,1W0,1W1\n",
                  "0F0,0F1,3F0,3B0,3F1,3I1,3W1,0I0,0B1,0W0\n1F0,2F0,1F1,2F1,2B0,1I0,2I1,1B1,1W0,2W1\n",
                  "0F0,0F1,3F0,3I0,3W0,3F1,3I1,3W1,0I0,0I1,0W0,0W1\n1F0,2F0,1F1,2F1,2I0,1I0,2W0,2I1,1I1,1W0,2W1,"
                  "1W1\n"}) {
                layout.model.kind = named(kind);
                layout.model.hidden = readsImages(layout.model) ? 2 : 12;
                layout.model.experts = {};
                if (layout.model.kind == ModelKind::LlamaMoe) {
                    layout.model.experts.gate = GateMethod::TopKSoftmax;
                    layout.model.experts.capacity = 0;
                    layout.model.experts.shared = layout.model.experts.denseLayers = 1;
                }
                for (const char* recompute : {"none", "full", "every", "mlp", "pointwise", "operations"}) {
                    layout.memory.recompute = named(recompute);
                    if (readsImages(layout.model) && layout.memory.recompute > RecomputeKind::Every) continue;
                    for (const int tensor : {1, 3}) {
                        if (tensor > 1 && (hasExperts(layout.model) || layout.model.kind == ModelKind::Cnn ||
                                           layout.memory.recompute == RecomputeKind::None))
                            continue;
                        layout.parallel.tensor = tensor;
                        layout.memory.partitionActivations = tensor > 1;
                        for (const bool swaps : {false, true}) {
                            layout.memory.swap = named(swaps ? "activations" : "none");
                            LowerOptions options{false, true, true};
                            options.swap = swaps;
                            compare(layout, lower(*parseCsv(csv), options));
                            if (QTest::currentTestFailed()) return;
                        }
                    }
                }
            }
    }
};

QTEST_GUILESS_MAIN(LedgerTest)
#include "ledger_test.moc"
