// SPDX-License-Identifier: Apache-2.0
// Decides which windows make up which batch. The global batch of a step is a function of seed and step alone; a layout
// only decides which rank takes which share of it.
#pragma once

#include "engine/layout/context_split.h"
#include "engine/layout/data/corpus.h"
#include "engine/layout/data/token_batch.h"
#include "engine/layout/layout.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardlab::layout {

/// Tokens and targets of one microbatch, or pixels and classes.
struct MicrobatchTokens {
    std::vector<std::int32_t> tokens;
    std::vector<std::int32_t> targets;
    std::vector<std::vector<std::int32_t>> further;  ///< as TokenBatch has them
    std::int64_t firstSample = 0;                    ///< counted from the first sample of the run
    TokenBatch batch() const { return {tokens, targets, firstSample, further}; }
};

/// Which part of each batch is a rank's: that of replica `dataRank` of `parts`, and of its samples the tokens of member
/// `contextRank` of a context group. Ranks that differ along other axes share a part.
struct BatchShare {
    int dataRank = 0;
    int parts = 1;
    int contextRank = 0;
};
/// None: the rank is an asynchronous server, which takes no samples.
std::optional<BatchShare> batchShare(const Layout& layout, int rank);

/// Data replica d takes samples d·(G÷D) … of each global batch of G samples; its microbatch j takes the next `micro` of
/// them. Each member of a context group takes its tokens (layout/context_split.h) of its replica's samples.
class Sampler {
public:
    /// `corpus` must outlive the sampler. `parts` is D, the number of replicas that share a global batch.
    Sampler(const Corpus& corpus, const Layout& layout, int dataRank, int parts, int contextRank = 0);
    Sampler(const Corpus& corpus, const Layout& layout, const BatchShare& share)
        : Sampler(corpus, layout, share.dataRank, share.parts, share.contextRank) {}
    Sampler(const Corpus& corpus, const Layout& layout, int dataRank)
        : Sampler(corpus, layout, dataRank, layout.parallel.data) {}

    /// From now on step `step` begins with sample `sample`, counted from the first of the run: batches were of another
    /// size before.
    void continueAt(std::int64_t step, std::int64_t sample) {
        firstStep_ = step;
        firstSample_ = sample;
    }
    /// The place in the row of all epochs' windows at which step `step` begins: the number of samples drawn before it,
    /// not counting those that ends of epochs repeat or leave out (data.last_batch). It does not depend on the batch,
    /// so any layout can go on from there.
    std::int64_t samplesBefore(std::int64_t step) const;

    /// How often the training part's windows have been gone through as step `step` begins.
    double epochsBefore(std::int64_t step) const {
        return static_cast<double>(samplesBefore(step)) / static_cast<double>(corpus_.trainWindows());
    }

    /// Microbatch j of this replica in step `step` (from 0). Windows are drawn without repetition in an order shuffled
    /// anew for each epoch. Where an epoch's last windows fill no batch, the next epoch's first windows fill it up
    /// (carry), the epoch's own first windows do (pad), or the last windows are left out (drop).
    MicrobatchTokens train(std::int64_t step, int microbatch);
    /// The number of the window that is sample `sample` of that microbatch.
    std::int64_t trainWindow(std::int64_t step, int microbatch, int sample);
    /// Microbatch j of this replica in a validation pass of run.validationBatches global batches; the windows are
    /// the same each time, spread over the validation part. Microbatches are numbered on through those batches.
    MicrobatchTokens validation(int microbatch) const;
    /// Number of microbatches of one validation pass; 0 where the layout keeps no data for it.
    int validationMicrobatches() const;

    /// The window at place `sample` in the row of all epochs' windows.
    std::int64_t trainWindowOf(std::int64_t sample);

private:
    void append(std::span<const std::int32_t> window, MicrobatchTokens& to) const;
    std::int64_t firstOf(int microbatch) const;  ///< first sample of the microbatch within the global batch

    /// Steps that are left in an epoch whose first `place` windows are drawn already.
    std::int64_t stepsAfter(std::int64_t place) const;

    const Corpus& corpus_;
    LastBatch lastBatch_;
    std::int64_t seed_;
    int global_;
    int share_;  ///< samples of a replica in a global batch
    int micro_;
    int dataRank_;
    std::array<TokenRun, 2> runs_;  ///< this rank's tokens of each sample
    bool images_;                   ///< a window is an image and its class
    std::ptrdiff_t modules_;        ///< that predict further tokens
    int validationBatches_;
    std::int64_t firstStep_ = 0;
    std::int64_t firstSample_ = 0;
    std::int64_t epoch_ = -1;
    std::vector<std::uint32_t> order_;  ///< order of the epoch's windows
};

}  // namespace shardlab::layout
