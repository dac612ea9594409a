// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/data/sampler.h"

#include "engine/base/random.h"
#include "engine/layout/exchange.h"
#include "engine/layout/mesh/mesh.h"

#include <numeric>
#include <string>
#include <utility>

namespace shardlab::layout {

std::optional<BatchShare> batchShare(const Layout& layout, int rank) {
    const Mesh mesh(layout);
    const int data = mesh.coordinate(rank, Axis::Data);
    if (layout.parallel.exchange != Exchange::AsyncServer)
        return BatchShare{data, layout.parallel.data, mesh.coordinate(rank, Axis::Context)};
    if (data == 0) return std::nullopt;
    return BatchShare{data - 1, workers(layout.parallel), 0};
}

Sampler::Sampler(const Corpus& corpus, const Layout& layout, int dataRank, int parts, int contextRank)
    : corpus_(corpus), lastBatch_(layout.data.lastBatch), seed_(layout.run.seed), global_(layout.batch.global),
      share_(layout.batch.global / parts), micro_(layout.batch.micro), dataRank_(dataRank),
      runs_(contextRuns(layout.model.sequence, layout.parallel.context, contextRank)),
      images_(readsImages(layout.model)), modules_(predictionModules(layout.model)),
      validationBatches_(layout.run.validationBatches) {}

void Sampler::append(std::span<const std::int32_t> window, MicrobatchTokens& to) const {
    if (images_) {
        to.tokens.insert(to.tokens.end(), window.begin(), window.end() - 1);
        to.targets.push_back(window.back());
        return;
    }
    to.further.resize(static_cast<std::size_t>(modules_));
    for (const TokenRun& run : runs_) {
        const auto first = window.begin() + run.first, end = first + run.count;
        to.tokens.insert(to.tokens.end(), first, end);
        to.targets.insert(to.targets.end(), first + 1, end + 1);
        for (std::ptrdiff_t module = 0; module < modules_; ++module)
            for (auto token = first; token != end; ++token) {
                const std::ptrdiff_t ahead = module + 2;
                to.further[static_cast<std::size_t>(module)].push_back(window.end() - token > ahead ? *(token + ahead)
                                                                                                    : noToken);
            }
    }
}

std::int64_t Sampler::firstOf(int microbatch) const {
    return std::int64_t{dataRank_} * share_ + std::int64_t{microbatch} * micro_;
}

std::int64_t Sampler::trainWindow(std::int64_t step, int microbatch, int sample) {
    const std::int64_t begin = samplesBefore(step), windows = corpus_.trainWindows();
    const std::int64_t place = begin % windows + firstOf(microbatch) + sample;
    const std::int64_t of = lastBatch_ == LastBatch::Pad ? place % windows : place;
    return trainWindowOf(begin - begin % windows + of);
}

MicrobatchTokens Sampler::train(std::int64_t step, int microbatch) {
    MicrobatchTokens made;
    made.firstSample = samplesBefore(step) + firstOf(microbatch);
    for (int i = 0; i < micro_; ++i) append(corpus_.trainWindow(trainWindow(step, microbatch, i)), made);
    return made;
}

std::int64_t Sampler::stepsAfter(std::int64_t place) const {
    const std::int64_t left = corpus_.trainWindows() - place;
    return lastBatch_ == LastBatch::Pad ? (left + global_ - 1) / global_ : left / global_;
}

std::int64_t Sampler::samplesBefore(std::int64_t step) const {
    const std::int64_t steps = step - firstStep_;
    if (lastBatch_ == LastBatch::Carry) return firstSample_ + steps * global_;
    const std::int64_t windows = corpus_.trainWindows(), place = firstSample_ % windows;
    const std::int64_t first = stepsAfter(place);
    if (steps < first) return firstSample_ + steps * global_;
    const std::int64_t epochs = (steps - first) / stepsAfter(0);
    return firstSample_ - place + (1 + epochs) * windows + (steps - first) % stepsAfter(0) * global_;
}

int Sampler::validationMicrobatches() const {
    return corpus_.validationWindows() == 0 ? 0 : validationBatches_ * (share_ / micro_);
}

MicrobatchTokens Sampler::validation(int microbatch) const {
    const int each = share_ / micro_;
    const std::int64_t wanted = std::int64_t{validationBatches_} * global_;
    MicrobatchTokens made;
    for (int i = 0; i < micro_; ++i) {
        const std::int64_t sample = std::int64_t{microbatch / each} * global_ + firstOf(microbatch % each) + i;
        append(corpus_.validationWindow(sample * corpus_.validationWindows() / wanted), made);
    }
    return made;
}

std::int64_t Sampler::trainWindowOf(std::int64_t sample) {
    const std::int64_t windows = corpus_.trainWindows();
    if (const std::int64_t epoch = sample / windows; epoch != epoch_) {  // shuffle of Fisher and Yates
        epoch_ = epoch;
        order_.resize(static_cast<std::size_t>(windows));
        std::iota(order_.begin(), order_.end(), 0u);
        RandomStream random(seed_, "epoch " + std::to_string(epoch));
        for (std::size_t left = order_.size(); left > 1; --left)
            std::swap(order_[left - 1], order_[random.below(static_cast<std::uint32_t>(left))]);
    }
    return order_[static_cast<std::size_t>(sample % windows)];
}

}  // namespace shardlab::layout
