// SPDX-License-Identifier: Apache-2.0
// A whole model on one rank for serial re-enactments: weights go in, a gradient comes out.
#pragma once

#include "engine/train/model/stage.h"
#include "engine/train/optim/gradient_norm.h"
#include "engine/train/optim/optimizer.h"
#include "engine/layout/data/corpus.h"
#include "engine/layout/data/sampler.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace shardlab::test {

using Numbers = std::vector<float>;

class SerialModel {
public:
    explicit SerialModel(const Layout& layout) : layout_(layout), corpus_(*Corpus::load(layout)) {
        StageSpec spec;
        spec.model = layout.model;
        spec.seed = layout.run.seed;
        spec.layers = blockCount(layout.model);
        spec.first = spec.last = spec.tied = true;
        spec.samples = layout.batch.micro;
        stage_ = std::make_unique<Stage>(spec, arena_);
    }

    const Corpus& corpus() const { return corpus_; }
    std::span<Parameter> parameters() { return stage_->parameters(); }
    Arena& arena() { return arena_; }
    Numbers weights() { return numbers(stage_->parameterBlock()); }
    void load(const Numbers& weights) { std::ranges::copy(weights, stage_->parameterBlock().floats().begin()); }
    void loadGradient(const Numbers& gradient) {
        std::ranges::copy(gradient, stage_->gradientBlock().floats().begin());
    }

    struct Gradient {
        Numbers values;
        double loss = 0;  ///< mean over the microbatches
    };
    /// Mean over the sampler's share of a batch; `only`: what one microbatch of it gives to that.
    Gradient gradient(const Numbers& weights, Sampler& sampler, int step, int microbatches, int only = -1) {
        load(weights);
        stage_->zeroGradients();
        Gradient made;
        for (int j = 0; j < microbatches; ++j) {
            if (only >= 0 && j != only) continue;
            const MicrobatchTokens tokens = sampler.train(step, j);
            stage_->forward(0, tokens.batch(), {});
            made.loss += stage_->loss(0) / microbatches;
            stage_->backward(0, {}, 1.0f / static_cast<float>(microbatches));
        }
        made.values = numbers(stage_->gradientBlock());
        return made;
    }

    double validation(const Numbers& weights) {
        load(weights);
        const Sampler whole(corpus_, layout_, 0, 1);
        const int count = whole.validationMicrobatches();
        double sum = 0;
        for (int j = 0; j < count; ++j) {
            const MicrobatchTokens tokens = whole.validation(j);
            double loss = 0;
            stage_->evaluate(tokens.batch(), {}, &loss);
            sum += loss;
        }
        return sum / count;
    }

    /// The factor that clips the loaded gradients to the norm `clip`.
    float clipping(double clip) { return clipScale(squaredGradientNorm(stage_->parameters(), arena_.device()), clip); }

private:
    static Numbers numbers(ArraySpan block) { return {block.floats().begin(), block.floats().end()}; }

    const Layout& layout_;
    Corpus corpus_;
    Arena arena_;
    std::unique_ptr<Stage> stage_;
};

/// The weights that a rank of one stage ended with, in the order of the block.
inline Numbers weightsOf(const RankOutcome& rank, const Layout& layout) {
    SerialModel model(layout);
    Numbers all;
    for (const Parameter& parameter : model.parameters()) {
        const auto& values = rank.parameters.at("0/" + parameter.name);
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
}

}  // namespace shardlab::test
