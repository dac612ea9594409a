// SPDX-License-Identifier: Apache-2.0
// Training without a flush by the book: one thread, a plain loop over the microbatches, which takes each stage's
// weights from a list of all versions there ever were.
#pragma once

#include "engine/train/optim/optimizer.h"
#include "engine/layout/data/corpus.h"
#include "engine/train/model/stage.h"
#include "engine/layout/data/sampler.h"
#include "tests/train/serial_codes.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace shardlab::test {

/// Updates that the weights which microbatch n meets at a stage are behind those it would meet in a plain loop.
struct Delay {
    int stage(int p, int r) const { return vertical ? p - 1 : p - r - 1; }
    bool vertical = false;
};

class Reenactment {
public:
    explicit Reenactment(const Layout& layout) : layout_(layout), corpus_(*Corpus::load(layout)) {
        const std::vector<int> layers = stageLayers(layout);
        int first = 0;
        for (std::size_t r = 0; r < layers.size(); ++r) {
            StageSpec spec;
            spec.model = layout.model;
            spec.seed = layout.run.seed;
            spec.firstLayer = first;
            spec.layers = layers[r];
            spec.first = r == 0;
            spec.last = r + 1 == layers.size();
            spec.samples = layout.batch.micro;
            spec.tied = layers.size() == 1;
            first += layers[r];
            stages_.push_back(std::make_unique<Stage>(spec, arena_));
            optimizers_.push_back(makeOptimizer({layout.optimizer}, stages_.back()->parameters(), arena_));
            const auto block = stages_.back()->parameterBlock().floats();
            history_.push_back({std::vector<float>(block.begin(), block.end())});
            codes_.emplace_back();
            if (!codesExchange(layout)) continue;
            const std::vector<FlatUnit> units = unitsOf(layout.parallel, stages_.back()->parameters());
            for (const FlatUnit& unit : reductionUnits(layout.parallel, units, sizeof(float)))
                codes_.back().emplace_back(
                    unit, SerialCodes(bitsOf(layout), layout.parallel.data, std::size_t(unit.size), true));
        }
        for (int d = 0; d < layout.parallel.data; ++d) samplers_.emplace_back(corpus_, layout, d);
    }

    /// One update of the mean gradient of microbatches [begin, end) of every replica, taken at version(stage).
    double update(int begin, int end, const std::function<int(int stage)>& version) {
        const int each = microbatches(layout_), replicas = layout_.parallel.data;
        const float scale = 1.0f / static_cast<float>((end - begin) * replicas);
        for (std::size_t r = 0; r < stages_.size(); ++r)
            load(r, history_[r].at(static_cast<std::size_t>(std::max(0, version(static_cast<int>(r))))));
        double loss = 0;
        std::vector<std::vector<Numbers>> gradients(stages_.size());  // by replica
        for (int d = 0; d < replicas; ++d) {
            for (auto& stage : stages_) stage->zeroGradients();
            for (int n = begin; n < end; ++n) {
                const MicrobatchTokens tokens = samplers_[static_cast<std::size_t>(d)].train(n / each, n % each);
                Buffer passed;
                for (auto& stage : stages_) passed = stage->forward(0, tokens.batch(), std::move(passed));
                loss += stages_.back()->loss(0);
                for (std::size_t r = stages_.size(); r-- > 0;)
                    passed = stages_[r]->backward(0, std::move(passed), scale);
            }
            for (std::size_t r = 0; r < stages_.size(); ++r) {
                const auto gradient = stages_[r]->gradientBlock().floats();
                gradients[r].emplace_back(gradient.begin(), gradient.end());
            }
        }
        for (std::size_t r = 0; r < stages_.size(); ++r) {
            load(r, history_[r].back());
            std::ranges::copy(mean(r, gradients[r]), stages_[r]->gradientBlock().floats().begin());
            optimizers_[r]->update(stages_[r]->parameters(), static_cast<int>(history_[r].size()), 1.0f);
            const auto block = stages_[r]->parameterBlock().floats();
            history_[r].emplace_back(block.begin(), block.end());
        }
        return loss / ((end - begin) * replicas);
    }

    double validate() {
        for (std::size_t r = 0; r < stages_.size(); ++r) load(r, history_[r].back());
        const int each = samplers_[0].validationMicrobatches();
        double sum = 0;
        for (const Sampler& sampler : samplers_)
            for (int j = 0; j < each; ++j) {
                const MicrobatchTokens tokens = sampler.validation(j);
                Buffer passed;
                double loss = 0;
                for (auto& stage : stages_) passed = stage->evaluate(tokens.batch(), std::move(passed), &loss);
                sum += loss;
            }
        return sum / (each * static_cast<int>(samplers_.size()));
    }

    std::span<Parameter> parameters(std::size_t stage) { return stages_[stage]->parameters(); }

private:
    /// What replicas come to that have these gradients of a stage.
    Numbers mean(std::size_t r, const std::vector<Numbers>& gradients) {
        Numbers sum(gradients.front().size());
        if (codes_[r].empty())
            for (const Numbers& gradient : gradients)
                for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gradient[i];
        for (auto& [unit, codes] : codes_[r]) {
            std::vector<Numbers> parts;
            for (const Numbers& gradient : gradients)
                parts.emplace_back(gradient.begin() + unit.begin, gradient.begin() + unit.end());
            std::ranges::copy(codes.exchange(parts), sum.begin() + unit.begin);
        }
        return sum;
    }
    void load(std::size_t r, const std::vector<float>& weights) {
        std::ranges::copy(weights, stages_[r]->parameterBlock().floats().begin());
    }

    const Layout& layout_;
    Corpus corpus_;
    Arena arena_;
    std::vector<std::unique_ptr<Stage>> stages_;
    std::vector<std::unique_ptr<Optimizer>> optimizers_;
    std::vector<std::vector<std::vector<float>>> history_;              ///< by stage and updates done
    std::vector<std::vector<std::pair<FlatUnit, SerialCodes>>> codes_;  ///< by stage and bucket
    std::vector<Sampler> samplers_;
};

struct PipelineCurves {
    std::vector<double> losses, validations;
};

inline PipelineCurves reenact(Reenactment& serial, const Layout& layout, bool delayed = true) {
    const int m = microbatches(layout), p = layout.parallel.pipeline;
    const Delay delay{layout.schedule.verticalSync};
    PipelineCurves curves;
    for (int step = 0; step < layout.run.steps; ++step) {
        double loss = 0;
        // Before a checkpoint the pipeline runs empty: what follows meets no older weights than those.
        const int empty = layout.checkpoint.every == 0 ? 0 : step / layout.checkpoint.every * layout.checkpoint.every;
        if (layout.schedule.kind == "pipedream-2bw") {
            loss = serial.update(step * m, (step + 1) * m,
                                 [&](int) { return delayed ? std::max(empty, step - 1) : step; });
        } else {
            for (int n = step * m; n < (step + 1) * m; ++n)
                loss += serial.update(n, n + 1, [&](int r) {
                    return delayed ? std::max(empty * m, n - delay.stage(p, r)) : n;
                }) / m;
        }
        curves.losses.push_back(loss);
        if ((step + 1) % layout.run.validateEvery == 0) curves.validations.push_back(serial.validate());
    }
    return curves;
}

}  // namespace shardlab::test
