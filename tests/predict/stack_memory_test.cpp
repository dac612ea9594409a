// SPDX-License-Identifier: Apache-2.0
// What software stacks hold beside model state and activations, to the byte, and what their allocators make of it.
#include "engine/layout/presets.h"
#include "engine/layout/stacks.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/predicted_memory.h"
#include "engine/predict/plan/stack_memory.h"
#include "engine/predict/plan/stage_buffers.h"
#include "engine/predict/search/step_estimate.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>

#include <random>

using namespace shardlab::test;

namespace {

constexpr std::int64_t hidden = 1024, inner = 4096, tokens = 2 * 512, vocabulary = 32000;
constexpr std::int64_t blockWeights = 4 * hidden * hidden + 3 * hidden * inner + 2 * hidden;

Layout layoutOf(const std::string& stack, int tensor = 1, int data = 4) {
    Layout layout;
    layout.model = {.kind = ModelKind::Llama, .layers = 8, .hidden = hidden, .heads = 8, .sequence = 512};
    layout.model.vocabulary = vocabulary;
    layout.model.feedForward = {inner};
    layout.cluster.hosts = {{"node1", tensor * data * 2}};
    layout.cluster.pace = PaceSpec{"a100-sxm", 1, stack};
    layout.parallel.data = data;
    layout.parallel.tensor = tensor;
    layout.parallel.sequence = tensor > 1;
    layout.parallel.pipeline = 2;
    layout.batch = {.global = 16, .micro = 2};
    layout.precision.compute = NumberFormat::Bf16;
    layout.checkpoint.every = 0;
    return layout;
}

const SoftwareStack& stackNamed(const char* name) {
    const SoftwareStack* stack = findStack(name);
    if (stack == nullptr) qFatal("there is no stack %s", name);
    return *stack;
}

StackMemory memoryOf(const Layout& layout, std::int64_t whole, std::int64_t shard, int layers = 4) {
    return stackMemory(layout, *modelledStack(layout), {layers, false, false, 0}, tensorShare(layout), whole, shard);
}

std::int64_t& of(MemoryBytes& bytes, MemoryCategory category) { return bytes[static_cast<std::size_t>(category)]; }

/// Activations that a block in the middle leaves behind.
std::int64_t kept(const Layout& layout) {
    StageBuffers stage = stageBuffers(layout, {1, false, false, 0}, {}, tensorShare(layout));
    return of(stage.forward.change, MemoryCategory::Activations);
}

/// Activations that an output alone leaves behind.
std::int64_t keptByOutput(const Layout& layout) {
    StageBuffers stage = stageBuffers(layout, {0, false, true, 8}, {true}, tensorShare(layout));
    return of(stage.forward.change, MemoryCategory::Activations);
}

}  // namespace

class StackMemoryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// DeepSpeed's ZeRO 1 in fp16: a bucket of at most 500 million gradients, and 8 bytes of each updated parameter.
    void bucketsAndUpdates() {
        Layout layout = layoutOf("megatron-deepspeed");
        layout.precision.compute = NumberFormat::Fp16;
        layout.parallel.zero = 1;
        QCOMPARE(memoryOf(layout, 400'000'000, 100'000'000).passing(), 8 * 100'000'000LL + 2 * 400'000'000LL);
        QCOMPARE(memoryOf(layout, 4'000'000'000, 1'000'000'000).passing(), 8'000'000'000LL + 2 * 500'000'000LL);
        StackMemory two = memoryOf(layout, 300'000'000, 100'000'000);
        two += two;  // both stages of a rank share the bucket
        QCOMPARE(two.passing(), 8 * 200'000'000LL + 2 * 500'000'000LL);
        QCOMPARE(memoryOf(layout, 400'000'000, 100'000'000).held, 0LL);
        layout.parallel.zero = 2;  // its gradients are reduced as they come
        QCOMPARE(memoryOf(layout, 400'000'000, 100'000'000).passing(), 8 * 100'000'000LL);
        layout = layoutOf("megatron-deepspeed", 1, 1);  // nobody to reduce with
        layout.precision.compute = NumberFormat::Fp16;
        QCOMPARE(memoryOf(layout, 400'000'000, 400'000'000).passing(), 8 * 400'000'000LL);
        QCOMPARE(memoryOf(layoutOf("torchtitan"), 400'000'000, 100'000'000).passing(), 0LL);
    }

    /// Gradients of a microbatch stay beside their sums in fp32, where there are such sums.
    void gradientsBesideTheirSums() {
        Layout layout = layoutOf("megatron-deepspeed");
        QCOMPARE(memoryOf(layout, 1000, 1000).held, 0LL);
        layout.precision.gradients = GradientFormat::Fp32;
        QCOMPARE(memoryOf(layout, 1000, 250).held, 2000LL);
        QCOMPARE(memoryOf(layout, 1000, 250).cached, 2000LL);
        QCOMPARE(memoryOf(layout, 1000, 250).update, 0LL);  // from the sums themselves
        QCOMPARE(memoryOf(layout, 1000, 250).passing(), 4000LL);
        layout.cluster.pace->stack = "megatron-2022";
        QCOMPARE(memoryOf(layout, 1000, 250).held, 0LL);
        QCOMPARE(memoryOf(layout, 1000, 250).cached, 0LL);
    }

    /// One stand-in for each shape of a weight: as much as the weights of one block, however many blocks there are.
    void standIns() {
        const Layout layout = layoutOf("megatron-core");
        QCOMPARE(memoryOf(layout, 1000, 1000).standIns, 2 * blockWeights);
        QCOMPARE(memoryOf(layout, 1000, 1000, 1).standIns, 2 * blockWeights);
        QCOMPARE(memoryOf(layout, 1000, 1000, 0).standIns, 0LL);
        QCOMPARE(memoryOf(layoutOf("torchtitan"), 1000, 1000).standIns, 0LL);
        // In the ledger too they count once for a rank, whatever the number of its stages.
        const auto throughout = [](int chunks, const char* stack) {
            Layout chunked = layoutOf(stack);
            chunked.schedule.kind = chunks > 1 ? "interleaved-1f1b" : "1f1b";
            chunked.schedule.chunks = chunks;
            const auto plan = makePlan(chunked);
            if (!plan) qFatal("%s", toText(plan.error().front()).c_str());
            MemoryBytes before = predictedMemory(*plan, plan->simulation.events).front().points.front().bytes;
            return of(before, MemoryCategory::Buffers);
        };
        for (const int chunks : {1, 2, 4})
            QCOMPARE(throughout(chunks, "megatron-core") - throughout(chunks, "fsdp"), 2 * blockWeights);
    }

    /// Weights as they were first made stay with the allocator, but where ZeRO 3 makes them part by part.
    void firstWeightsAreCached() {
        Layout layout = layoutOf("internevo");
        layout.parallel.zero = 1;
        QCOMPARE(memoryOf(layout, 1000, 250).cached, 4000LL);
        layout.parallel.zero = 3;
        QCOMPARE(memoryOf(layout, 1000, 250).cached, 0LL);
        QCOMPARE(memoryOf(layoutOf("megatron-core"), 1000, 250).cached, 0LL);
    }

    /// Operands of products in 8 bits are kept as one byte, and the attention's output as one byte more.
    void roundedOperands() {
        Layout layout = layoutOf("megatron-core");
        layout.cluster.pace->device = "b200";
        const std::int64_t wide = kept(layout);
        layout.precision.products = ProductFormat::Fp8;
        QCOMPARE(wide - kept(layout), tokens * (2 * hidden + inner) - tokens * hidden);
        layout.precision.products = ProductFormat::NvFp4;  // 4 bits, and one byte for 16 numbers
        QCOMPARE(wide - kept(layout), tokens * (2 * hidden + inner) * 23 / 16 - tokens * hidden * 9 / 16);
        layout.precision.products = ProductFormat::Compute;
        layout.cluster.pace->stack = "torchtitan-compile";
        const std::int64_t others = kept(layout);
        layout.precision.products = ProductFormat::Fp8;
        QCOMPARE(kept(layout), others);
    }

    /// DTensor keeps what it gathered for the products of both halves of a block; Megatron gathers it again.
    void gatheredTokens() {
        constexpr std::int64_t members = 4;
        const std::int64_t again = kept(layoutOf("megatron-2022", members));
        Layout layout = layoutOf("torchtitan", members);
        layout.model.dropout = 0;
        const std::int64_t stays = kept(layout);
        layout.parallel.sequence = false;
        const std::int64_t whole = kept(layout);
        QVERIFY(again > 0 && stays < whole);
        // Split tokens divide the input of each half and its norm's statistics, and nothing else between products.
        QCOMPARE(whole - stays, (tokens - tokens / members) * 2 * (2 * hidden + 4));
    }

    /// torchtitan's policy keeps the outputs of queries, values and gate, of attention, and of a block what its tensor
    /// group sums; eager also the last sum or product, which nobody reads. Keys, norms and the rest are made again.
    void operationsThatAreKept() {
        for (const int members : {1, 4})
            for (const char* name : {"torchtitan", "torchtitan-compile", "torchtitan-compile-loss"}) {
                Layout layout = layoutOf(name, members);
                layout.memory.recompute = RecomputeKind::Operations;
                const bool unread = stackNamed(name).keepsUnread;
                QCOMPARE(unread, std::string(name) == "torchtitan");
                const std::int64_t sums = 1 + (members > 1 ? 1 : 0) + (unread ? 1 : 0);  // the output among them
                const std::int64_t statistics = 2 * 4 * tokens, rowSums = 4 * tokens * layout.model.heads;
                QCOMPARE(kept(layout) * members,
                         2 * tokens * (sums * hidden + 3 * hidden + inner) + statistics + rowSums);
                layout.precision.products = ProductFormat::Fp8;  // the policy sees the same products
                QCOMPARE(kept(layout) * members,
                         2 * tokens * (sums * hidden + 3 * hidden + inner) + statistics + rowSums);
            }
        // Programs with one product for queries, keys and values, and one for a gate and its values, keep both.
        Layout layout = layoutOf("fsdp");
        const auto keptWith = [&](RecomputeKind kind) {
            layout.memory.recompute = kind;
            return kept(layout);
        };
        QCOMPARE(keptWith(RecomputeKind::Pointwise) - keptWith(RecomputeKind::Operations), 2 * tokens * hidden);
    }

    /// The loss needs so many bytes of each logit; where a tensor group shares the vocabulary, of its share.
    void logits() {
        for (const char* name : {"megatron-core", "torchtitan", "megatron-deepspeed"}) {
            const SoftwareStack& stack = stackNamed(name);
            for (const int members : {1, 4}) {
                const Layout layout = layoutOf(name, members);
                const double each = members > 1 ? stack.splitLogitMemory : stack.logitMemory;
                const std::int64_t split = tokens / members, normed = stack.keepsGathered ? tokens : split;
                QCOMPARE(keptByOutput(layout),
                         2 * normed * hidden + 4 * split + std::llround(each * double(tokens * vocabulary / members)));
            }
        }
    }

    /// The peak of a step is in its computation or in its update, in plan, estimate and curve alike.
    void theUpdateIsPartOfTheStep() {
        for (const int micro : {1, 4}) {
            Layout layout = layoutOf("internevo", 1, 2);
            layout.batch.micro = micro;
            layout.parallel.zero = 1;
            const auto plan = makePlan(layout);
            QVERIFY2(plan.has_value(), plan ? "" : toText(plan.error().front()).c_str());
            for (const RankMemory& memory : plan->memory) {
                QVERIFY(memory.update > 0);
                QVERIFY(memory.peak >= memory.computing);
                QVERIFY(memory.peak > memory.update);
                const auto curves =
                    predictedMemory(*plan, plan->simulation.events, plan->mesh.coordinate(memory.rank, Axis::Data));
                QCOMPARE(curves[static_cast<std::size_t>(plan->mesh.coordinate(memory.rank, Axis::Pipeline))].peak,
                         memory.peak);
            }
            const RankMemory& most = neediest(plan->layout, plan->memory);
            const RankMemory worst = StepEstimator(layout).memory(choiceOf(layout)).worst;
            QCOMPARE(worst.peak, most.peak);
            QCOMPARE(worst.update, most.update);
            QCOMPARE(worst.cached, most.cached);
        }
        // The update of so small a model takes more than a microbatch.
        const auto plan = makePlan(layoutOf("internevo", 1, 2));
        QVERIFY(plan && plan->memory.front().peak > plan->memory.front().computing);
    }

    /// What an allocator takes grows with each of its reasons, ends where the device does, and is never less than what
    /// is needed at once.
    void reserved() {
        const SoftwareStack& stack = stackNamed("megatron-deepspeed");
        std::mt19937_64 random(freshSeed());
        std::uniform_int_distribution<std::int64_t> bytes(0, std::int64_t{1} << 36);
        for (int round = 0; round < 2000; ++round) {
            RankMemory memory;
            const std::int64_t throughout = bytes(random);
            memory.computing = throughout + bytes(random);
            memory.update = bytes(random);
            memory.cached = bytes(random);
            memory.peak = std::max(memory.computing, throughout + memory.update);
            const std::int64_t room = bytes(random), taken = reservedBytes(stack, memory, room);
            const std::int64_t needed = std::llround(double(memory.peak) * (1 + stack.fragmentation));
            QVERIFY(taken >= memory.peak);
            QVERIFY(taken <= std::max(room, needed + 1));
            QVERIFY(taken + 1 >= needed);
            RankMemory more = memory;
            more.cached += 1'000'000;
            QVERIFY(reservedBytes(stack, more, room) >= taken);
            QVERIFY(reservedBytes(stack, memory, room + 1'000'000) >= taken);
            const std::int64_t ample = std::int64_t{1} << 40;
            QVERIFY(reservedBytes(stack, more, ample) > reservedBytes(stack, memory, ample));
        }
    }
};

QTEST_GUILESS_MAIN(StackMemoryTest)
#include "stack_memory_test.moc"
