// SPDX-License-Identifier: Apache-2.0
// The times of software stacks: products in waves of tiles, links that hosts share, and figures that must be whole.
#include "engine/layout/check/check.h"
#include "engine/layout/presets.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/stacks.h"
#include "engine/predict/plan/plan.h"
#include "engine/predict/plan/stack_times.h"
#include "tests/support/legal_plan.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

using namespace shardlab::test;

namespace {

const DevicePreset& h100() { return *findDevice("h100-sxm"); }
const Architecture& hopper() { return *findArchitecture("hopper"); }

double seconds(double rows, double columns, double inner) {
    return productSeconds({rows, columns, inner}, ProductFormat::Compute, h100(), hopper());
}

Layout paced(const std::string& stack) {
    Layout layout;
    layout.model = {.kind = ModelKind::Llama, .layers = 8, .hidden = 4096, .heads = 32, .sequence = 4096};
    layout.model.vocabulary = 32000;
    layout.model.feedForward = {11008};
    layout.cluster.hosts = {{"node1", 8}};
    layout.cluster.pace = PaceSpec{"h100-sxm", 1, stack};
    layout.parallel.data = 1;
    layout.parallel.pipeline = 2;
    layout.parallel.tensor = 4;
    layout.batch = {.global = 8, .micro = 1};
    layout.precision.compute = NumberFormat::Bf16;
    return layout;
}

/// Seconds of a microbatch on the only stage, by a stack that is not among those that come with Shardlab.
ComputeTimes timesOf(const Layout& layout, const SoftwareStack& stack) {
    const DevicePreset device = reachedBandwidths(*findDevice(layout.cluster.pace->device), hopper());
    return stackTimes(layout, stageShapes(layout).front(), tensorShare(layout), device, {&stack, &hopper()});
}
Layout onOneStage() {
    Layout layout = paced("torchtitan");
    layout.parallel = {.data = 8, .pipeline = 1};
    return layout;
}
/// How much longer the second takes for each byte of the memory's bandwidth.
double bytesBetween(double less, double more) {
    return (more - less) * reachedBandwidths(h100(), hopper()).memoryBandwidth;
}

std::string stackText(const std::string& key, const std::string& value) {
    std::string text = R"({"title": "A", "attention": "fused", "passes": 1, "kernel_seconds": 1e-6, "logit_bytes": 4,
        "logit_memory_bytes": 6, "split_logit_memory_bytes": 6, "cached_bytes": 0, "update_bytes": 0,
        "bucket_elements": 0, "fragmentation": 0.1, "context_bytes": 1e9, "overhead": 1,
        "tensor_hidden": 0, "gather_share": 1, "owner_share": 1, "beside_gathers": 1, "blocking_sends": false,
        "exchange_hidden": 0,
        "routing_kernels": 60, "expert_kernels": 10, "merges_rows": false, "splits_messages": false,
        "keeps_gradients": false, "keeps_stand_ins": false, "keeps_rounded": false, "gathers_rounded": false,
        "keeps_gathered": false, "keeps_unread": false, "splits_products": false, "eager": false,
        "copies_shards": false,
        "source": "a test", "schedules": ["1f1b"]})";
    const auto at = text.find('"' + key + '"');
    const auto begin = text.find(':', at) + 1;
    return text.replace(begin, text.find_first_of(",}", begin) - begin, value);
}

}  // namespace

class StackTimesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// No product is quicker than its operations at the reached peak, nor than its operands through memory.
    void noProductIsQuickerThanItsBounds() {
        std::mt19937_64 random(freshSeed());
        std::uniform_real_distribution<double> exponent(4, 15);
        for (int round = 0; round < 2000; ++round) {
            const auto side = [&] { return std::floor(std::exp2(exponent(random))); };
            const double m = side(), n = side(), k = side();
            const double peak = 2 * m * n * k / (h100().bf16Flops * h100().matmulEfficiency);
            const double memory = 2 * (m * k + n * k + m * n) / h100().memoryBandwidth;
            QVERIFY(seconds(m, n, k) >= 0.999 * std::max(peak, memory));
            QVERIFY(seconds(m, n, 2 * k) >= seconds(m, n, k));
            QVERIFY(seconds(m, 2 * n, k) >= seconds(m, n, k));
        }
    }

    /// One tile more than the multiprocessors hold begins another wave.
    void oneTileMoreIsAnotherWave() {
        constexpr double tilesDown = 4;  // enough that the product is bound by its operations
        const double rows = tilesDown * hopper().tileRows;
        const double wave = hopper().tileColumns * h100().multiprocessors / tilesDown;
        const double full = seconds(rows, wave, 8192);
        QVERIFY(seconds(rows, wave + 1, 8192) > 1.2 * full);
        QVERIFY(seconds(rows, 0.9 * wave, 8192) > 0.9 * full);
    }

    /// A large product reaches the device's efficiency, a narrow one, as tensor groups leave it, does not.
    void narrowSharesReachLess() {
        const double large = 2.0 * 16384 * 16384 * 16384 / seconds(16384, 16384, 16384);
        const double narrow = 2.0 * 4096 * 16384 * 128 / seconds(4096, 16384, 128);
        QVERIFY(large > 0.9 * h100().bf16Flops * h100().matmulEfficiency);
        QVERIFY(narrow < 0.5 * large);
    }

    /// Products in 8 bits are quicker where they are bound by operations, and only there.
    void fewerBits() {
        const auto in = [](ProductFormat format, double side) {
            return productSeconds({side, side, side}, format, h100(), hopper());
        };
        QVERIFY(in(ProductFormat::Fp8, 8192) < 0.7 * in(ProductFormat::Compute, 8192));
        Architecture other = hopper();
        other.rowShare = 1;
        const auto rows = [](const Architecture& architecture) {
            return productSeconds({8192, 8192, 8192}, ProductFormat::Fp8Rows, h100(), architecture);
        };
        QCOMPARE(rows(other), in(ProductFormat::Fp8, 8192));
        QCOMPARE(rows(hopper()), in(ProductFormat::Fp8, 8192) / hopper().rowShare);
        Layout layout = paced("megatron-core");
        const double sixteen = planOf(layout).stepSeconds;
        layout.precision.products = ProductFormat::Fp8;
        const double eight = planOf(layout).stepSeconds;
        QVERIFY2(eight < 0.9 * sixteen && eight > 0.5 * sixteen, qPrintable(QString("%1 %2").arg(eight).arg(sixteen)));
        layout.precision.products = ProductFormat::NvFp4;
        QCOMPARE(check(layout, scheduleMethods()).front().pointer, std::string("/precision/products"));
        layout.cluster.pace->device = "b200";
        QVERIFY(check(layout, scheduleMethods()).empty());
        layout.cluster.pace->stack = "shardlab";
        QCOMPARE(check(layout, scheduleMethods()).front().pointer, std::string("/precision/products"));
    }

    /// A ring between hosts goes through the network ports of all its members on a host, up to the link within it.
    void aRingUsesTheLinksOfAllMembers() {
        DevicePreset device = h100();
        device.inNode.bandwidth = 400e9;
        device.betweenNodes.bandwidth = 50e9;
        QCOMPARE(ringLink({8, 1}, device).bandwidth, 400e9);
        QCOMPARE(ringLink({2, 2}, device).bandwidth, 50e9);
        QCOMPARE(ringLink({8, 2}, device).bandwidth, 200e9);
        QCOMPARE(ringLink({32, 2}, device).bandwidth, 400e9);
        QCOMPARE(ringLink({8, 2}, device, 0.5).bandwidth, 100e9);
    }

    /// What a stack does shows in the plan: hidden collectives, blocking sends, fewer passes.
    void stacksDiffer() {
        const double core = planOf(paced("megatron-core")).stepSeconds;
        const double serial = planOf(paced("megatron-core-serial")).stepSeconds;
        const double eager = planOf(paced("megatron-2022")).stepSeconds;
        QVERIFY2(core < serial && serial < eager, qPrintable(QString("%1 %2 %3 s").arg(core).arg(serial).arg(eager)));
    }

    /// Norms, turned positions and gates by PyTorch's operations: the bytes of each, in 16 bits and fp32, as its text
    /// has them. Layer norm is one kernel there too, and a gpt has neither gates nor turned positions.
    void eagerOperationsMoveMore() {
        Layout layout = onOneStage();
        layout.model.block.kvHeads = 8;
        SoftwareStack fused = *findStack("torchtitan"), eager = fused;
        fused.eager = false;
        eager.eager = true;
        const double tokens = double(layout.batch.micro) * layout.model.sequence * layout.model.layers;
        const double norms = 2.0 * 4096 * (36 - 4), turned = (4096 + 1024) * 20.0, gates = 11008 * (10.0 - 6);
        const double forward = tokens * (norms + turned + gates) * eager.passes;
        const ComputeTimes less = timesOf(layout, fused), more = timesOf(layout, eager);
        QVERIFY(std::abs(bytesBetween(less.forward, more.forward) / forward - 1) < 1e-6);
        QVERIFY(std::abs(bytesBetween(less.inputGrad, more.inputGrad) / (2 * forward) - 1) < 1e-6);
        layout.model.kind = ModelKind::Gpt;
        layout.model.block.kvHeads = 0;
        QCOMPARE(timesOf(layout, eager).forward, timesOf(layout, fused).forward);
    }

    /// A residual sum reads two numbers and writes one; with dropout the number that is dropped and its mask besides.
    void dropoutMovesMore() {
        Layout layout = onOneStage();
        const SoftwareStack stack = *findStack("torchtitan");
        const double without = timesOf(layout, stack).forward;
        layout.model.dropout = 0.1;
        const double tokens = double(layout.batch.micro) * layout.model.sequence * layout.model.layers;
        const double bytes = 2 * 4.0 * 4096 * tokens * stack.passes;
        QVERIFY(std::abs(bytesBetween(without, timesOf(layout, stack).forward) / bytes - 1) < 1e-6);
    }

    /// FSDP 2 copies weights out of what it gathered, for either pass, and gradients to be scattered; weights in codes
    /// are half as long.
    void shardsAreCopied() {
        Layout layout = onOneStage();
        layout.parallel.zero = 3;
        SoftwareStack stack = *findStack("torchtitan");
        stack.besideGathers = 1;
        const auto copied = [&] {
            stack.copiesShards = false;
            const ComputeTimes less = timesOf(layout, stack);
            stack.copiesShards = true;
            const ComputeTimes more = timesOf(layout, stack);
            const double numbers = double(stageParameters(layout.model, stageShapes(layout).front(), {}));
            return std::array{bytesBetween(less.forward, more.forward) / numbers,
                              bytesBetween(less.inputGrad, more.inputGrad) / numbers,
                              bytesBetween(less.weightGrad, more.weightGrad) / numbers};
        };
        const auto near = [](const std::array<double, 3>& found, const std::array<double, 3>& bytes) {
            return std::ranges::equal(found, bytes, [](double a, double b) { return std::abs(a - b) < 1e-6; });
        };
        QVERIFY(near(copied(), {4, 4, 4}));
        layout.precision.products = ProductFormat::Fp8;
        QVERIFY(near(copied(), {2, 2, 4}));
        layout.parallel.zero = 1;
        QVERIFY(near(copied(), {0, 0, 0}));
    }

    /// Between hosts whose links are all that a step waits for, gathers of codes take half of those of 16 bits; tables,
    /// and products with a scale for each row, are gathered in 16 bits.
    void gathersOfCodes() {
        const auto gathered = [](const char* stack, ProductFormat format) {
            Layout layout = paced(stack);
            layout.parallel = {.data = 16, .pipeline = 1, .zero = 3};
            layout.cluster.hosts = {{"node1", 8}, {"node2", 8}};
            layout.batch = {.global = 16, .micro = 1};
            layout.precision.products = format;
            double blocks = 0, tables = 0;
            const Plan plan = planOf(layout);
            for (const DataPiece& piece : plan.costs.stages.at(0).data.gatherForward) {
                const bool block = piece.layer > 0 && piece.layer <= 2 * layout.model.layers;
                (block ? blocks : tables) += piece.seconds;
            }
            return std::pair(blocks, tables);
        };
        const auto sixteen = gathered("torchtitan-compile", ProductFormat::Compute),
                   codes = gathered("torchtitan-compile", ProductFormat::Fp8);
        // The links' latency is the same.
        QVERIFY2(codes.first < 0.6 * sixteen.first && codes.first > 0.5 * sixteen.first,
                 qPrintable(QString("%1 %2 s").arg(codes.first).arg(sixteen.first)));
        // Beside tables there is the last norm.
        QVERIFY(sixteen.second > 0 && std::abs(codes.second / sixteen.second - 1) < 1e-4);
        QCOMPARE(gathered("torchtitan-compile", ProductFormat::Fp8Rows), sixteen);
        QCOMPARE(gathered("fsdp", ProductFormat::Fp8), gathered("fsdp", ProductFormat::Compute));
    }

    /// Every stack is either predicted on a GPU, or refused in words that name those that are.
    void everyStackOnEveryGpu() {
        for (const DevicePreset& device : devicePresets()) {
            if (device.name == "cpu") continue;
            QVERIFY2(findArchitecture(device.architecture) != nullptr, device.name.c_str());
            int predicted = 0;
            for (const SoftwareStack& stack : stackList().stacks) {
                Layout layout = paced(stack.name);
                layout.cluster.pace->device = device.name;
                if (stack.schedules.empty()) layout.parallel = {.data = 8, .pipeline = 1, .zero = 3};
                const auto plan = makePlan(layout);
                if (plan) {
                    QVERIFY(std::isfinite(plan->stepSeconds) && plan->stepSeconds > 0);
                    ++predicted;
                    continue;
                }
                const Fault& fault = plan.error().front();
                QCOMPARE(plan.error().size(), std::size_t{1});
                QCOMPARE(fault.pointer, std::string("/cluster/pace/stack"));
                const Architecture& architecture = *findArchitecture(device.architecture);
                QVERIFY2(fault.why.english().find(architecture.title) != std::string::npos, toText(fault).c_str());
                for (const SoftwareStack& other : stackList().stacks)
                    QCOMPARE(fault.legal.english().find(" " + other.name + ",") != std::string::npos ||
                                 fault.legal.english().find(" " + other.name + ";") != std::string::npos,
                             hasAttention(architecture, other));
            }
            QVERIFY2(predicted >= 3, device.name.c_str());
        }
    }

    /// A latent of queries is a product of its own in the place of a wider one, and a norm.
    void latentsAreProductsOfTheirOwn() {
        Layout layout = paced("megatron-core");
        layout.parallel.tensor = layout.parallel.pipeline = 1;
        layout.model.block.kvRank = 512;
        layout.model.block.headWidth = 128;
        const auto forward = [&](int queryRank) {
            layout.model.block.queryRank = queryRank;
            return stackTimes(layout, {1, false, false}, {}, h100(), *stackOf(layout, h100())).forward;
        };
        const SoftwareStack& stack = *findStack("megatron-core");
        const double tokens = 4096, queries = 32 * 192, rank = 1536;
        const double products =
            seconds(tokens, rank, 4096) + seconds(tokens, queries, rank) - seconds(tokens, queries, 4096);
        const double norm = 2 * 2 * rank * tokens * stack.passes / h100().memoryBandwidth;
        const double wanted = (products + stack.kernelSeconds + norm) * stack.overhead;
        QVERIFY(std::abs(forward(1536) - forward(0) - wanted) < 1e-6 * std::abs(wanted));
        // Values that are narrower leave less to do behind the scores, and nothing is filled up.
        layout.model.block.valueWidth = 64;
        const double narrow = forward(0);
        layout.model.block.valueWidth = 128;
        QVERIFY(narrow < forward(0));
    }

    /// The bias of an expert's second product is added by passes of their own, in fp32; that of a feed-forward block's
    /// is part of its product.
    void biasesOfExperts() {
        Layout layout = paced("megatron-core");
        layout.parallel.tensor = layout.parallel.pipeline = 1;
        layout.model.kind = ModelKind::LlamaMoe;
        layout.model.experts.gate = GateMethod::SoftmaxTopK;
        layout.model.experts.count = 8;
        layout.model.experts.topK = 2;
        layout.model.experts.capacity = 0;
        const auto longer = [&](BiasKind biases) {
            layout.model.block.biases = biases;
            return stackTimes(layout, {1, false, false}, {}, h100(), *stackOf(layout, h100()));
        };
        const ComputeTimes without = longer(BiasKind::Qkv), with = longer(BiasKind::All);
        const double numbers = 4096.0 * 2 * 4096;  // of two rows for each token
        const SoftwareStack& stack = *findStack("megatron-core");
        const auto wanted = [&](double bytes, double kernels) {
            return (bytes * numbers / h100().memoryBandwidth + 8 * kernels * stack.kernelSeconds) * stack.overhead;
        };
        QVERIFY(std::abs(with.forward - without.forward - wanted(28, 2)) < 1e-9);
        QVERIFY(std::abs(with.inputGrad - without.inputGrad - wanted(40, 6)) < 1e-9);
        layout.model.kind = ModelKind::Llama;
        QCOMPARE(longer(BiasKind::All).forward, longer(BiasKind::Qkv).forward);
    }

    /// Heads whose width tensor cores cannot take cost the attention of products its speed; flash attention pads them.
    void headsOfUnalignedWidth() {
        const auto seconds = [](const char* stack, int heads) {
            Layout layout = paced(stack);
            layout.model.hidden = 4320;
            layout.model.heads = heads;
            const DevicePreset& device = modelledDevice(layout);
            return stackAttentionSeconds(layout, tensorShare(layout), device, *stackOf(layout, device));
        };
        const double aligned = seconds("megatron-2022", 36), unaligned = seconds("megatron-2022", 40);  // 120 and 108
        // As many operations, of which the former reach fp32's rate at most.
        const double least = 4.0 * 4096 * 4096 * 4320 / 4 / h100().fp32Flops;
        QVERIFY2(unaligned > least && unaligned > 1.5 * aligned,
                 qPrintable(QString("%1 %2 %3").arg(aligned).arg(unaligned).arg(least)));
        QVERIFY(seconds("torchtitan", 40) < 1.2 * seconds("torchtitan", 36));
    }

    /// Links of the layout take the place of the device's.
    void linksOfTheLayout() {
        Layout layout = paced("megatron-core-serial");
        const double usual = planOf(layout).stepSeconds;
        layout.cluster.pace->nodeLink = 50;
        QVERIFY(planOf(layout).stepSeconds > 1.1 * usual);
        layout.cluster.pace->nodeLink = 450;
        QVERIFY(std::abs(planOf(layout).stepSeconds - usual) < 1e-9);
    }

    /// The allocator and the driver take memory beside what a stack's tensors take.
    void memoryIncludesContext() {
        const Plan plan = planOf(paced("megatron-core"));
        QVERIFY(plan.device.programBytes > 1'000'000'000);
        Layout own = plan.layout;
        own.cluster.pace->stack = ownStack;
        QCOMPARE(planOf(own).device.usableBytes(), plan.device.usableBytes() + plan.device.programBytes);
    }

    void whatNoStackIsKnownOf() {
        const auto place = [](const Layout& layout) {
            const std::vector<Fault> faults = check(layout, scheduleMethods());
            return faults.empty() ? std::string() : faults.front().pointer;
        };
        QCOMPARE(place(paced("megatron-core")), std::string());
        Layout layout = paced("megatron-core");
        layout.cluster.pace->stack = "megatron-cor";
        QCOMPARE(place(layout), std::string("/cluster/pace/stack"));
        layout = paced("megatron-core");
        layout.cluster.pace->device = "cpu";
        QCOMPARE(place(layout), std::string("/cluster/pace/stack"));
        layout = paced("megatron-core");
        layout.precision.compute = NumberFormat::Fp32;
        QCOMPARE(place(layout), std::string("/cluster/pace/stack"));
    }

    /// DeepSpeed sums gradients to one owner of a shard after the other, which does not fill the links between hosts.
    void sumsToOwnersReachAShareOfTheLinks() {
        const auto reduction = [](const char* stack, int zero) {
            Layout layout;
            layout.model.layers = 8;
            layout.model.hidden = 1024;
            layout.cluster.pace = PaceSpec{.device = "a100-sxm", .stack = stack};
            layout.cluster.hosts.assign(4, HostSpec{.name = "node", .devices = 1});
            for (std::size_t i = 0; i < 4; ++i) layout.cluster.hosts[i].name += std::to_string(i);
            layout.parallel.data = 4;
            layout.parallel.pipeline = 1;
            layout.parallel.zero = zero;
            layout.schedule.kind = "naive";
            layout.batch = {32, 4};
            layout.precision.compute = NumberFormat::Bf16;
            double seconds = 0;
            for (const DataPiece& piece : planOf(layout).costs.stages.front().data.reduce) seconds += piece.seconds;
            return seconds;
        };
        const double share = findStack("megatron-deepspeed")->ownerShare;
        QVERIFY(share < 1 && findStack("megatron-2021")->ownerShare == 1);
        QVERIFY(std::abs(reduction("megatron-deepspeed", 1) / reduction("megatron-2021", 1) * share - 1) < 0.05);
    }

    void aFileThatIsNoStack() {
        QVERIFY(parseStack("a", stackText("passes", "1")));
        const auto told = [](const std::string& key, const std::string& value) {
            const auto stack = parseStack("a", stackText(key, value));
            return stack ? std::string() : stack.error().text();
        };
        QVERIFY(told("passes", "0").find("/passes") != std::string::npos);
        QVERIFY(told("attention", "\"flash-9\"").find("flash-9") != std::string::npos);
        QVERIFY(told("blocking_sends", "1").find("neither true nor false") != std::string::npos);
        QVERIFY(told("gather_share", "1.5").find("/gather_share") != std::string::npos);
        QVERIFY(told("owner_share", "0").find("/owner_share") != std::string::npos);
        QVERIFY(told("update_bytes", "-1").find("/update_bytes") != std::string::npos);
        QVERIFY(told("bucket_elements", "1e13").find("/bucket_elements") != std::string::npos);
        QVERIFY(told("split_logit_memory_bytes", "0").find("/split_logit_memory_bytes") != std::string::npos);
        QVERIFY(told("schedules", "\"1f1b\"").find("/schedules") != std::string::npos);
        QVERIFY(told("keeps_gathered", "0").find("neither true nor false") != std::string::npos);
        QVERIFY(!parseStack("a", "{}"));
        QVERIFY(!parseArchitecture("a", R"({"title": "A"})"));
    }
};

QTEST_GUILESS_MAIN(StackTimesTest)
#include "stack_times_test.moc"
