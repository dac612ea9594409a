// SPDX-License-Identifier: Apache-2.0
// Which windows make up which batch. The global batch of a step is a function of seed and step alone; a layout only
// decides who takes which share of it.
#pragma once

#include "engine/layout/context_split.h"
#include "engine/layout/layout.h"
#include "engine/train/model/stage.h"
#include "engine/train/run/corpus.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace shardlab {

/// Tokens and targets of one microbatch, or pixels and classes, owned.
struct MicrobatchTokens {
    std::vector<std::int32_t> tokens;
    std::vector<std::int32_t> targets;
    std::int64_t firstSample = 0;  ///< counted from the first sample of the run
    TokenBatch batch() const { return {tokens, targets, firstSample}; }
};

/// Of a context group each member takes its tokens (layout/context_split.h) of the samples of its data replica.
/// Data replica d takes samples d·(G÷D) … of each global batch of G samples; its microbatch j the next `micro` of them.
class Sampler {
public:
    /// `corpus` must outlive the sampler. `parts`: replicas that share a global batch, D.
    Sampler(const Corpus& corpus, const Layout& layout, int dataRank, int parts, int contextRank = 0);
    Sampler(const Corpus& corpus, const Layout& layout, int dataRank)
        : Sampler(corpus, layout, dataRank, layout.parallel.data) {}

    /// Step `step` begins with sample `sample`, counted from the first of all: after a part of the run with other
    /// batches.
    void continueAt(std::int64_t step, std::int64_t sample) {
        firstStep_ = step;
        firstSample_ = sample;
    }
    /// Where step `step` begins in the row of all epochs' windows; the samples drawn before it, except for what the
    /// ends of epochs repeat or leave out (data.last_batch). Says the same whatever the batch, so that any layout goes
    /// on from there.
    std::int64_t samplesBefore(std::int64_t step) const;

    /// Microbatch j of this replica in step `step` (from 0). Windows are drawn without repetition in an order shuffled
    /// anew for each epoch. Where an epoch's last windows fill no batch, the next epoch's first fill it up (carry), its
    /// own first come again (pad), or they are left out (drop).
    MicrobatchTokens train(std::int64_t step, int microbatch);
    /// Microbatch j of this replica in a validation pass of run.validationBatches global batches; the same windows each
    /// time, spread over the validation part. Its microbatches are numbered on through those batches.
    MicrobatchTokens validation(int microbatch) const;
    /// Microbatches of one validation pass; 0 where the layout keeps no text for it.
    int validationMicrobatches() const;

    /// Window at place `sample` in the row of all epochs.
    std::int64_t trainWindowOf(std::int64_t sample);

private:
    void append(std::span<const std::uint16_t> window, MicrobatchTokens& to) const;
    std::int64_t firstOf(int microbatch) const;  ///< its first sample within the global batch

    /// Steps in an epoch whose first `place` windows are drawn already.
    std::int64_t stepsAfter(std::int64_t place) const;

    enum class LastBatch : std::uint8_t { Carry, Pad, Drop };

    const Corpus& corpus_;
    LastBatch lastBatch_;
    std::int64_t seed_;
    int global_;
    int share_;  ///< samples of a replica
    int micro_;
    int dataRank_;
    std::array<TokenRun, 2> runs_;  ///< of each sample
    bool images_;                   ///< a window is an image and its class
    int validationBatches_;
    std::int64_t firstStep_ = 0;
    std::int64_t firstSample_ = 0;
    std::int64_t epoch_ = -1;
    std::vector<std::uint32_t> order_;  ///< of the epoch's windows
};

}  // namespace shardlab
