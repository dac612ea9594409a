// SPDX-License-Identifier: Apache-2.0
// Random layouts within what other trainers can say, and two layouts held against each other by what they say.
#pragma once

#include "engine/layout/attention_shape.h"
#include "engine/layout/block_parts.h"
#include "engine/layout/check/check.h"
#include "engine/layout/field_effect.h"
#include "engine/layout/layout_json.h"
#include "engine/layout/schedule/registry.h"
#include "engine/layout/tensor_extents.h"
#include "engine/trace/trainers/trainer_target.h"
#include "engine/trace/trainers/trainer_text.h"
#include "tests/support/wings.h"

#include <QString>

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>

namespace shardlab::test {

/// A draw knows not every rule of a layout, nor that other programs' tensor ranks hold equal shares, and of whole heads
/// of keys but for those of a target that shares them.
inline bool suitsTrainers(const Layout& drawn, std::string_view target = "torchtitan") {
    const bool shared = keySharers(keyHeads(drawn.model), drawn.parallel.tensor) > 1;
    return check(drawn, scheduleMethods()).empty() && (!shared || findTrainerTarget(target)->sharesKeyHeads) &&
           std::ranges::all_of(tensorExtents(drawn), &TensorExtent::even);
}

class TrainerDraw {
public:
    explicit TrainerDraw(std::uint32_t seed) : random_(seed) {}

    int among(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
    bool coin(int of = 2) { return among(1, of) == 1; }
    template <class T>
    T pick(std::initializer_list<T> list) {
        return *(list.begin() + among(0, static_cast<int>(list.size()) - 1));
    }
    double number(double least, double most) { return std::uniform_real_distribution(least, most)(random_); }

    /// Degrees, batch, optimizer, run and a dense model. What few trainers have stays as it is by default.
    Layout layout() {
        Layout l;
        l.name = pick<std::string>({"plain", "two words", "it's \"quoted\" $HOME `x`", "größer", "a=b;c"});
        ParallelSpec& p = l.parallel;
        p = {};
        p.data = among(1, 4);
        p.pipeline = pick({1, 1, 2, 3, 4});
        p.tensor = pick({1, 1, 2, 4});
        p.context = pick({1, 1, 2});
        model(l.model);
        l.schedule = {};
        if (p.pipeline > 1 && coin(3)) {
            l.schedule.kind = "interleaved-1f1b";
            l.schedule.chunks = among(2, 3);
        }
        split(l);
        l.batch.micro = among(1, 3);
        l.batch.global = p.data * l.batch.micro * (p.pipeline * among(1, 3) + (coin() ? among(0, p.pipeline - 1) : 0));
        const int nodes = (rankCount(l) % 2 == 0 && coin()) ? 2 : 1;
        l.cluster.hosts = evenHosts(nodes, rankCount(l) / nodes);
        l.cluster.pace.reset();
        l.run.steps = among(30, 100'000);
        l.run.seed = among(1, 1'000'000);
        optimizer(l);
        return l;
    }

    void optimizer(Layout& l) {
        OptimizerSpec& o = l.optimizer;
        o.learningRate = number(1e-6, 1e-2);
        o.warmup = among(2, l.run.steps - 1);
        o.schedule = pick({RateSchedule::Constant, RateSchedule::Cosine, RateSchedule::Linear});
        if (o.schedule != RateSchedule::Constant && coin()) o.minimum = o.learningRate * number(0, 1);
        o.adamw = {{number(0, 0.99), number(0, 0.999)}, number(1e-12, 1e-6)};
        o.weightDecay = coin(4) ? 0 : number(0, 1);
        o.clip = coin(4) ? 0 : number(0.1, 10);
    }

    /// Now and then several copies of what ZeRO divides.
    void copies(ParallelSpec& p) {
        std::vector<int> sizes{0};
        for (int size = 1; p.zero > 0 && size < p.data; ++size)
            if (p.data % size == 0 && size * p.context > 1) sizes.push_back(size);
        p.shard = sizes[static_cast<std::size_t>(among(0, static_cast<int>(sizes.size()) - 1))];
    }

    /// Layers of every stage alike, or embedding and output counted, or a list.
    void split(Layout& l) {
        const int stages = stageCount(l);
        const int way = stages > 1 ? among(0, 3) : 0;
        l.model.layers = stages * among(1, 3);
        l.schedule.countEnds = way == 1;
        if (way == 1) l.model.layers = std::max(1, stages * among(2, 3) - 2);
        if (way < 2) return;
        std::vector<int>& list = l.schedule.stages;
        for (int stage = 0; stage < stages; ++stage) list.push_back(among(1, 4));
        if (coin(4)) list.front() = 0;
        if (coin(4)) list.back() = 0;
        l.model.layers = 0;
        for (const int layers : list) l.model.layers += layers;
        if (l.model.layers == 0) list.front() = l.model.layers = 1;
    }

    void model(ModelSpec& m) {
        m.kind = coin() ? ModelKind::Gpt : ModelKind::Llama;
        m.heads = 4 * among(1, 3);
        m.hidden = m.heads * 2 * among(2, 16);
        m.sequence = 16 * among(1, 64);
        m.vocabulary = among(256, 70'000);
        if (coin()) m.feedForward = {4 * among(1, 3000)};
        m.block.normEpsilon = number(1e-8, 1e-3);
    }

private:
    std::mt19937 random_;
};

/// Every field that has an effect, by its value; what a trainer says in other words, by what it means. Empty: the two
/// say the same.
inline QString saysOtherwise(const Layout& drawn, const Layout& read) {
    static constexpr std::string_view byMeaning[] = {
        "/model/kind",          "/model/norm",         "/model/positions",  "/model/biases",
        "/model/activation",    "/model/output",       "/model/kv_heads",   "/model/head_width",
        "/model/feed_forward",  "/model/expert_width", "/model/rope_high",  "/schedule/stages",
        "/schedule/count_ends", "/schedule/kind",      "/schedule/actions", "/schedule/in_flight"};
    const auto a = layoutToJson(drawn), b = layoutToJson(read);
    const auto differs = [](std::string_view field, const std::string& ours, const std::string& theirs) {
        return QString::fromStdString(fmt::format("{}: {} was drawn, {} was read", field, ours, theirs));
    };
    for (const Field& field : fields()) {
        if (std::ranges::find(byMeaning, field.pointer) != std::end(byMeaning)) continue;
        if (!isPresent(field, drawn) || !withoutEffect(field.pointer, drawn, scheduleMethods()).empty()) continue;
        const nlohmann::ordered_json::json_pointer pointer{std::string(field.pointer)};
        if (!a.contains(pointer)) continue;
        if (!b.contains(pointer)) return differs(field.pointer, a.at(pointer).dump(), "nothing");
        const auto &x = a.at(pointer), &y = b.at(pointer);
        // A quotient or a sum of bytes was written.
        const bool derived = field.pointer == "/optimizer/minimum" || field.pointer == "/parallel/bucket" ||
                             field.pointer == "/data/validation";
        const bool same =
            derived ? std::abs(x.get<double>() - y.get<double>()) <= 1e-12 * std::abs(x.get<double>()) : x == y;
        if (!same) return differs(field.pointer, x.dump(), y.dump());
    }
    const ModelSpec &m = drawn.model, &n = read.model;
    if (!(blockParts(m) == blockParts(n)) || hasExperts(m) != hasExperts(n)) return "the parts of blocks differ";
    if (keyHeads(m) != keyHeads(n) || headWidth(m) != headWidth(n)) return "heads differ";
    for (int layer = 0; layer < m.layers; ++layer)
        if (feedForwardWidth(m, layer) != feedForwardWidth(n, layer)) return "feed-forward widths differ";
    const RotarySpec &r = m.block.rotary, &s = n.block.rotary;
    if (blockParts(m).rotary && r.scaling != RotaryScaling::None && rotaryHigh(r) != rotaryHigh(s))
        return "model.rope_high differs";
    if (stageLayers(drawn) != stageLayers(read)) return "the layers of stages differ";
    const auto order = generateSchedule(drawn.schedule.kind, scheduleShape(drawn)),
               other = generateSchedule(read.schedule.kind, scheduleShape(read));
    if (!order || !other || !(order->ranks == other->ranks)) return "the orders of schedules differ";
    return {};
}

}  // namespace shardlab::test
