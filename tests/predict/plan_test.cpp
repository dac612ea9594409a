// SPDX-License-Identifier: Apache-2.0
#include "engine/base/random.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/presets.h"
#include "engine/layout/stacks.h"
#include "engine/predict/plan/compute_costs.h"
#include "engine/predict/plan/plan.h"
#include "engine/layout/schedule/validate.h"
#include "engine/predict/search/step_overhead.h"
#include "engine/predict/search/search.h"
#include "engine/predict/search/step_estimate.h"
#include "tests/support/legal_plan.h"
#include "tests/support/named.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace shardlab::test;

namespace {

Layout preset(const char* name) { return findPreset(name)->layout; }

std::int64_t trafficOn(const Plan& plan, Axis axis) {
    std::int64_t bytes = 0;
    for (const AxisTraffic& each : plan.traffic)
        if (each.axis == axis) bytes += each.bytes;
    return bytes;
}

/// The share of a device that stays free where its tensors and the modelled program take the rest.
double reserveThatLeaves(const Layout& layout, std::int64_t tensors, std::int64_t capacity) {
    const SoftwareStack& stack = *modelledStack(layout);
    return 1 - (double(tensors) * (1 + stack.fragmentation) + stack.contextBytes) / double(capacity);
}

}  // namespace

class PlanTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyPresetIsPlanned() {
        const auto all = presets();
        for (const Preset& each : *all) {
            QElapsedTimer timer;
            timer.start();
            const Plan plan = planOf(each.layout);
            qInfo("%-16s %6.2f ms  step %.3f s  bubble %.3f (theory %.3f)  exposed %.3f  peak %.1f MiB  mfu %.4f  "
                  "stretch %.3g",
                  each.name.c_str(), static_cast<double>(timer.nsecsElapsed()) * 1e-6, plan.stepSeconds, plan.bubble,
                  plan.bubbleTheory, plan.exposedCommunication, static_cast<double>(plan.memory[0].peak) / 1048576,
                  plan.mfu, plan.costs.stretch);
            const Status valid = validate(plan.lowered);
            QVERIFY2(valid.has_value(), valid ? "" : valid.error().text().c_str());
            QVERIFY(plan.stepSeconds > 0 && plan.tokensPerSecond > 0 && plan.flopsPerStep > 0);
            QVERIFY(plan.mfu > 0 && plan.mfu < 1 && plan.bubble >= 0 && plan.bubble < 1);
            QVERIFY(plan.exposedCommunication >= 0 && plan.exposedCommunication < 1);
            QVERIFY2(plan.fits, each.name.c_str());
            QCOMPARE(static_cast<int>(plan.memory.size()), plan.mesh.ranks());
            QVERIFY(!plan.notes.empty());
            for (const RankMemory& rank : plan.memory) {
                QVERIFY(rank.peak > 0 && rank.peak <= total(rank.bytes));
                QVERIFY(rank.bytes[1] > 0);
                if (each.layout.parallel.zero == 2) QVERIFY(rank.bytes[0] > rank.bytes[1]);  // a shard
                else if (each.layout.precision.gradients == GradientFormat::Compute)
                    QCOMPARE(rank.bytes[0], rank.bytes[1] * rank.weightVersions);
                else QCOMPARE(2 * rank.bytes[0], rank.bytes[1] * rank.weightVersions);  // of 16 bits, in fp32
            }
            if (each.layout.cluster.pace)
                QVERIFY(std::abs(plan.simulation.stepSeconds / each.layout.cluster.pace->stepSeconds - 1) < 1e-9);
        }
    }

    /// What a rank makes of its layout and the stretch it is told is what the job has planned, whatever the job knows
    /// of its machine: the same actions, as many bytes, and where time is modelled the same times.
    void aRankCarriesOutWhatTheJobPlans() {
        Measurements ofTheJob;
        ofTheJob.core.flops = 3e9;
        int paced = 0;
        const auto all = presets();
        for (const Preset& each : *all) {
            const auto planned = makePlan(each.layout, ofTheJob);
            QVERIFY2(planned, each.name.c_str());
            StepPlan ofARank = stepPlan(each.layout);
            ofARank.costs.stretch = planned->costs.stretch;
            paced += each.layout.cluster.pace ? 1 : 0;
            QVERIFY2(ofARank.lowered.ranks == planned->lowered.ranks, each.name.c_str());
            for (const auto& actions : ofARank.lowered.ranks)
                for (const Action& action : actions) {
                    QCOMPARE(ofARank.costs.bytes(action), planned->costs.bytes(action));
                    if (each.layout.cluster.pace)
                        QVERIFY(ofARank.costs.seconds(action) == planned->costs.seconds(action));
                }
        }
        QVERIFY(paced > 0);
    }

    void presetsThatTeachTheFormulaShowIt() {
        for (const char* name : {"naive-4", "gpipe-8", "1f1b-8"}) {
            const Plan plan = planOf(preset(name));
            QVERIFY2(std::abs(plan.bubble - plan.bubbleTheory) < 0.03, name);
        }
        const Plan gpipe = planOf(preset("gpipe-4")), oneFOneB = planOf(preset("1f1b-4"));
        QVERIFY(std::abs(gpipe.bubble - oneFOneB.bubble) < 0.02);
        QCOMPARE(gpipe.memory[0].microbatchesInFlight, 8);
        QCOMPARE(oneFOneB.memory[0].microbatchesInFlight, 4);
        QCOMPARE(oneFOneB.memory[3].microbatchesInFlight, 1);
        QVERIFY(gpipe.memory[3].peak > 2 * oneFOneB.memory[3].peak);
        const Plan uneven = planOf(preset("uneven-4"));
        QVERIFY(uneven.bubble > uneven.bubbleTheory + 0.1);
        QVERIFY(std::ranges::any_of(uneven.notes, [](const Sentence& note) {
            return note.english().find("unequal stages") != std::string::npos;
        }));
    }

    void faultsComeBackInsteadOfAPlan() {
        Layout layout;
        layout.model.heads = 3;
        layout.batch.global = 7;
        const auto plan = makePlan(layout);
        QVERIFY(!plan);
        QCOMPARE(plan.error().size(), std::size_t{2});
    }

    void trafficIsCounted() {
        // data 2 × pipeline 2, 4 microbatches of 2·128 tokens of 128 floats: up and down, on both replicas.
        const Layout layout;
        const Plan plan = planOf(layout);
        const std::int64_t message = 4 * 2 * 128 * 128;
        const std::int64_t tied = 4 * tableParameters(layout.model);
        const std::int64_t norm = 8;
        QCOMPARE(trafficOn(plan, Axis::Pipeline), 2 * 4 * 2 * message + 2 * 2 * tied + 2 * 2 * norm);
        // A ring of two: each member sends the whole buffer once.
        QCOMPARE(trafficOn(plan, Axis::Data), 2 * 4 * (modelParameters(layout.model) + tableParameters(layout.model)));
        Layout alone = preset("toy-1x1");
        QVERIFY(planOf(alone).traffic.empty());
    }

    /// 2205.05198: split tokens change no traffic of the layers but for what is gathered again for the weight
    /// gradients.
    void tensorTrafficIsCounted() {
        Layout layout;
        layout.model = {ModelKind::Gpt, 4, 128, 4, 128, 256, 0};
        layout.parallel = {1, 1, 4};
        layout.schedule.kind = "naive";
        const std::int64_t microbatches = layout.batch.global / layout.batch.micro;
        const std::int64_t activation = 4 * 2 * 128 * 128, token = 4 * 2 * 128, norm = 4 * 2 * 128;
        // Ring: the four members of an all-reduce send 2(t−1) of its buffer together.
        const std::int64_t ring = 2 * 3 * microbatches, norms = 2 * 3 * 8;
        // Each of 8 norm-and-product blocks makes one sum forward and one backward; embedding and output make one each.
        QCOMPARE(trafficOn(planOf(layout), Axis::Tensor), ring * (18 * activation + 3 * token) + norms);
        layout.parallel.sequence = true;
        // Every sum gets its gather, the embedding's in its weight gradient; 9 norms are gathered again and summed.
        QCOMPARE(trafficOn(planOf(layout), Axis::Tensor),
                 ring * (18 * activation + 9 * activation / 2 + 9 * norm + 3 * token) + norms);
        QCOMPARE(planOf(layout).traffic.size(), std::size_t{3});  // and the norm's

        // Stage borders carry each member's tokens only.
        layout.parallel = {1, 2, 2};
        layout.schedule.kind = "1f1b";
        const auto sent = [&] { return planOf(layout).costs.stages[0].sendBytes; };
        const std::int64_t whole = sent();
        layout.parallel.sequence = true;
        QCOMPARE(2 * sent(), whole);
    }

    /// Each rank's weights are those of its own heads, and the plan tells what the largest share costs.
    void unequalSharesCost() {
        RandomStream random(freshSeed(), "shares");
        const auto below = [&](int n) { return static_cast<int>(random.below(static_cast<std::uint32_t>(n))); };
        for (int i = 0; i < 50; ++i) {
            Layout layout;
            const int t = 2 + below(7), each = 1 + below(4), heads = t * each + below(t);
            layout.model = {ModelKind::Gpt, 2, 8 * heads, heads, 16, 256 + t - 256 % t, 0, {t * 12}};
            layout.parallel = {.data = 1, .pipeline = 1, .tensor = t};
            layout.cluster.hosts = {{"localhost", t}};
            layout.cluster.pace = PaceSpec{"h100-sxm", 1};
            const Plan plan = planOf(layout);
            const std::string told = fmt::format("holds {} of {} heads", each + 1, heads);
            const auto tells = [&](const Sentence& note) { return note.english().find(told) != std::string::npos; };
            QCOMPARE(std::ranges::count_if(plan.notes, tells), heads % t == 0 ? 0 : 1);
            // A head has the weights and biases of its query, key and value, and its rows of the projection.
            const std::int64_t h = layout.model.hidden, ofHead = 8 * (3 * h + 3 + h);
            const auto weights = [&](int rank) {
                return plan.memory[static_cast<std::size_t>(rank)]
                    .bytes[static_cast<std::size_t>(MemoryCategory::Parameters)];
            };
            int all = 0;
            for (int rank = 0; rank < t; ++rank) {
                const auto more = static_cast<int>((weights(rank) - weights(0)) / (4 * 2 * ofHead));
                QCOMPARE(weights(rank) - weights(0), more * 4 * 2 * ofHead);
                QVERIFY(more == 0 || more == 1);
                all += each + more;
            }
            QCOMPARE(all, heads);
            // A step takes what it would if all ranks had as many heads as the last.
            const double busy = plan.costs.stages.front().forward;
            Layout wider = layout;
            wider.model.heads = t * (heads % t == 0 ? each : each + 1);
            wider.model.block.headWidth = 8;
            QVERIFY(std::abs(planOf(wider).costs.stages.front().forward - busy) <= 1e-9 * busy);
        }
    }

    void tensorCollectivesTakeTheirTime() {
        Layout layout;
        layout.model = {ModelKind::Gpt, 4, 1024, 16, 1024, 50304, 0};
        layout.cluster.pace = PaceSpec{};
        layout.parallel = {1, 1, 4};
        layout.schedule.kind = "naive";
        const Plan plan = planOf(layout);
        const StageCosts& cost = plan.costs.stages[0];
        const double inside =
            seconds(cost.tensor.forward) + seconds(cost.tensor.inputGrad) + seconds(cost.tensor.weightGrad);
        QVERIFY(inside > 0 && inside < cost.forward + cost.backward);
        QVERIFY(plan.exposedCommunication > 0.9 * inside / (cost.forward + cost.backward));
        // Spans lie in their action, one after another, and last as long.
        std::int64_t end = 0, lasted = 0;
        const Event* action = nullptr;
        for (const Event& event : plan.simulation.events) {
            if (event.rank != 1) continue;
            if (event.kind == EventKind::Backward && !action) action = &event;
            if (!isTensorCollective(event.kind) || !action || event.action != action->action) continue;
            QVERIFY(event.begin >= end && event.begin >= action->begin && event.end <= action->end + 1);
            end = event.end;
            lasted += event.end - event.begin;
        }
        const double wanted = (seconds(cost.tensor.inputGrad) + seconds(cost.tensor.weightGrad)) * plan.costs.stretch;
        QVERIFY(std::abs(double(lasted) * 1e-9 / wanted - 1) < 0.01);
        layout.cluster.hosts = {{"a", 2}, {"b", 2}};
        const Plan apart = planOf(layout);
        QVERIFY(apart.costs.stages[0].forward > cost.forward);
        QVERIFY(std::ranges::any_of(apart.notes, [](const Sentence& note) {
            return note.english().starts_with("tensor groups span several hosts");
        }));
    }

    void flopsAreSixPerParameterAndToken() {
        // Kaplan et al. 2020: 6·parameters a token, where attention and embeddings are small.
        Layout layout = preset("toy-1x1");
        layout.model = {ModelKind::Mlp, 8, 1024, 1, 16, 256, 0};
        const Plan plan = planOf(layout);
        const double rule = 6.0 * static_cast<double>(plan.parameters) * static_cast<double>(tokensPerStep(layout));
        QVERIFY(std::abs(plan.flopsPerStep / rule - 1) < 0.01);
    }

    /// However slowly a step is shown, what is told of it is the modelled device's.
    void paceChangesNoFigure() {
        Layout layout;
        layout.cluster.hosts = {{"localhost", 4}};
        layout.parallel.data = layout.parallel.pipeline = 2;
        layout.memory.offload = OffloadKind::Optimizer;
        layout.cluster.pace = PaceSpec{"h100-sxm", 0.5};
        const Plan fast = planOf(layout);
        layout.cluster.pace->stepSeconds = 60;
        const Plan slow = planOf(layout);
        const auto near = [](double a, double b) { return std::abs(a / b - 1) < 1e-6; };
        QVERIFY(near(slow.simulation.stepSeconds, 60) && near(slow.costs.stretch, 120 * fast.costs.stretch));
        QVERIFY(near(slow.stepSeconds, fast.stepSeconds) && near(slow.stepSeconds * slow.costs.stretch, 60));
        QVERIFY(near(slow.tokensPerSecond, fast.tokensPerSecond));
        QVERIFY(near(slow.exposedCommunication, fast.exposedCommunication) && near(slow.bubble, fast.bubble));
        QVERIFY(!slow.hosts.empty() && slow.hosts.size() == fast.hosts.size());
        for (std::size_t rank = 0; rank < slow.hosts.size(); ++rank)
            for (const auto seconds :
                 {&HostTraffic::toHostSeconds, &HostTraffic::fromHostSeconds, &HostTraffic::exposedSeconds})
                QVERIFY(std::abs(slow.hosts[rank].*seconds - fast.hosts[rank].*seconds) < 1e-6 * fast.stepSeconds);
        QCOMPARE(slow.traffic.size(), fast.traffic.size());
        for (std::size_t axis = 0; axis < slow.traffic.size(); ++axis)
            QCOMPARE(slow.traffic[axis].how, fast.traffic[axis].how);
        const std::vector<StepOverhead> ofSlow = largestOverheads(slow), ofFast = largestOverheads(fast);
        QVERIFY(!ofSlow.empty() && ofSlow.size() == ofFast.size());
        for (std::size_t i = 0; i < ofSlow.size(); ++i) QCOMPARE(ofSlow[i].why, ofFast[i].why);
        // The clock is told of once.
        const auto told = [](const Plan& plan) {
            return std::ranges::count_if(plan.notes, [](const Sentence& note) {
                return note.english().find("to watch: a step lasts") != std::string::npos;
            });
        };
        QCOMPARE(told(slow), 1);
        QVERIFY(slow.notes.front().english().find("to watch: a step lasts 1 min 0 s; times are those of NVIDIA H100") !=
                std::string::npos);
    }

    void mfuIsOfTheModelledDevice() {
        Layout layout;
        layout.cluster.pace = PaceSpec{"h100-sxm", 5.0};
        const Plan slow = planOf(layout);
        layout.cluster.pace->stepSeconds = 0.5;
        const Plan fast = planOf(layout);
        QVERIFY(std::abs(slow.mfu / fast.mfu - 1) < 1e-9);
        QVERIFY(std::abs(slow.costs.stretch / fast.costs.stretch - 10) < 1e-6);
        QCOMPARE(slow.device.capacityBytes, findDevice("h100-sxm")->memoryBytes);
        layout.cluster.pace->device = "cpu";
        QVERIFY(planOf(layout).mfu > 10 * fast.mfu);  // no launches to wait for
    }

    void coresAreSharedAtFullSpeed() {
        const Layout layout;  // four ranks
        const Mesh mesh(layout);
        const DevicePreset& device = modelledDevice(layout);
        QCOMPARE(stepCosts(layout, mesh, device, {0, 1}, 2).cores, 1.0);
        QCOMPARE(stepCosts(layout, mesh, device, {0, 1}, 64).cores, 0.0);
        QCOMPARE(rankDevice(layout, mesh, 2).fp32Flops, device.fp32Flops);
        QCOMPARE(rankDevice(layout, mesh, 16).fp32Flops, 4 * device.fp32Flops);
        Layout paced = layout;
        paced.cluster.pace = PaceSpec{};
        QCOMPARE(rankDevice(paced, mesh, 16).fp32Flops, findDevice("h100-sxm")->fp32Flops);
        QCOMPARE(stepCosts(paced, mesh, device, {0, 1}, 2).cores, 0.0);
    }

    void linksBetweenHostsAreSlower() {
        Layout layout;
        const StepCosts together = stepCosts(layout, Mesh(layout), modelledDevice(layout), {0, 1});
        layout.cluster.hosts = {{"a", 2}, {"b", 2}};  // a pipeline stage on each
        const StepCosts apart = stepCosts(layout, Mesh(layout), modelledDevice(layout), {0, 1});
        QVERIFY(apart.stages[0].send > together.stages[0].send);
        QCOMPARE(apart.stages[0].reduce, together.stages[0].reduce);
        QCOMPARE(apart.stages[0].forward, together.stages[0].forward);
    }

    void whatDoesNotFitIsTold() {
        Layout layout = preset("gpt2-124m");
        layout.schedule.stages.clear();
        layout.model.layers = 48;
        layout.model.hidden = 8192;
        layout.model.heads = 64;
        const Plan plan = planOf(layout);
        QVERIFY(!plan.fits);
        QVERIFY(std::ranges::any_of(plan.notes, [](const Sentence& note) {
            return note.english().find("GiB usable (80.0 GiB less a reserve of 4.80 GiB") != std::string::npos;
        }));
    }

    /// A peak just below a device's capacity is no layout that fits: the reserve decides, in plans and in a search
    /// alike.
    void aReserveStaysFree() {
        Layout layout = preset("gpt3-175b");
        const Plan plan = planOf(layout);
        const std::int64_t needed = neededBytes(layout, neediest(layout, plan.memory)),
                           capacity = plan.device.capacityBytes;
        QCOMPARE(plan.device.reserveBytes, std::llround(0.06 * double(capacity)));
        QVERIFY(plan.fits && 2 * needed > capacity);
        const double exact = reserveThatLeaves(layout, needed, capacity);
        for (const auto& [reserve, fits] :
             {std::pair(0.0, true), {exact - 1e-6, true}, {exact + 1e-6, false}, {0.5, false}}) {
            layout.memory.reserve = reserve;
            const Plan other = planOf(layout);
            QCOMPARE(other.fits, fits);
            QCOMPARE(other.memory.front().peak, plan.memory.front().peak);
            QCOMPARE(StepEstimator(layout).memory(choiceOf(layout)).fits(), fits);
        }
        // What the program takes beside its tensors is what its allocator wastes of them, and what lies outside of it.
        const SoftwareStack& stack = *modelledStack(layout);
        const double tensors = double(plan.device.usableBytes());
        QVERIFY(stack.contextBytes > 0);
        QVERIFY(std::abs(tensors * stack.fragmentation + stack.contextBytes - double(plan.device.programBytes)) < 4);
        QVERIFY(MemoryLimit{}.holds(needed));  // of a device of which nothing is known nothing is refused
        layout.memory.reserve = std::nan("");
        QCOMPARE(memoryLimit(layout, capacity).reserveBytes, 0);
    }

    void aSearchKeepsTheReserveToo() {
        Layout layout = preset("llama2-7b");
        layout.memory.reserve = 0;
        const auto all = searchLayouts(layout);
        QVERIFY(all.has_value());
        std::int64_t fullest = 0;
        for (const Candidate& candidate : all->candidates)
            if (candidate.fits) fullest = std::max(fullest, candidate.peakBytes);
        QVERIFY(2 * fullest > all->device.capacityBytes);
        layout.memory.reserve = reserveThatLeaves(layout, fullest - 1000, all->device.capacityBytes);
        const auto fewer = searchLayouts(layout);
        QVERIFY(fewer.has_value());
        QVERIFY(fewer->device.usableBytes() < fullest);
        for (const Candidate& candidate : fewer->candidates)
            QCOMPARE(candidate.fits, candidate.peakBytes <= fewer->device.usableBytes());
        QVERIFY(std::ranges::any_of(fewer->candidates, [&](const Candidate& candidate) {
            return !candidate.fits && candidate.peakBytes <= fewer->device.capacityBytes &&
                   candidate.why.english().find("less a reserve") != std::string::npos;
        }));
    }

    /// On processors the operating system and each rank's process take from the same memory, and what lies on the host
    /// does.
    void processorsKeepTheReserveAndHoldTheirHostsMemory() {
        Layout layout;
        layout.memory.offload = OffloadKind::Optimizer;
        const Plan plan = planOf(layout);
        QVERIFY(plan.device.reserveBytes > 0);
        const RankMemory& most = neediest(layout, plan.memory);
        QVERIFY(total(most.host) > 0);
        QCOMPARE(neededBytes(layout, most), most.peak + total(most.host));
        QCOMPARE(StepEstimator(layout).memory(choiceOf(layout)).neededBytes, neededBytes(layout, most));
        layout.cluster.pace = PaceSpec{};
        QCOMPARE(neededBytes(layout, most), most.peak);
    }

    void optimizerStateIsCounted() {
        const auto state = [](const char* kind, double momentum) {
            Layout layout;
            layout.optimizer.kind = named(kind);
            layout.optimizer.momentum = momentum;
            const Plan plan = planOf(layout);
            return double(plan.memory[0].bytes[std::size_t(MemoryCategory::Optimizer)]) /
                   double(plan.memory[0].bytes[std::size_t(MemoryCategory::Parameters)]);
        };
        QCOMPARE(state("adamw", 0), 2.0);
        QCOMPARE(state("sgd", 0.9), 1.0);
        QCOMPARE(state("sgd", 0), 0.0);
    }

    /// Each block of 256 codes has a scale in fp32, which an update reads and writes with them.
    void scalesOfMomentsInEightBitsCount() {
        Layout layout;
        layout.optimizer.kind = OptimizerKind::AdamW8Bit;
        QCOMPARE(updateBytes(layout), 4 + 2 * 4 + 2 * 2 * (1 + 4 / 256.0));
    }

    void hugeLayoutsArePlannedToo() {
        Layout layout;
        layout.model = {ModelKind::Gpt, 128, 64, 4, 8, 256, 0};
        layout.parallel.data = 1;
        layout.parallel.pipeline = 64;
        layout.batch = {1024, 1};
        layout.cluster.hosts = {{"localhost", 64}};
        layout.cluster.pace = PaceSpec{};
        QElapsedTimer timer;
        timer.start();
        const Plan plan = planOf(layout);
        qInfo("p 64, m 1024: %.1f ms, %zu events", static_cast<double>(timer.nsecsElapsed()) * 1e-6,
              plan.simulation.events.size());
        QVERIFY(std::abs(plan.bubble - plan.bubbleTheory) < 0.15);
        QVERIFY(plan.memory[0].microbatchesInFlight == 64);
    }
};

QTEST_GUILESS_MAIN(PlanTest)
#include "plan_test.moc"
