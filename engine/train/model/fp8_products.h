// SPDX-License-Identifier: Apache-2.0
// The products of a stage's linear layers whose factors are rounded to 8 bits (layout/fp8.h, kernels/fp8.h).
#pragma once

#include "engine/layout/fp8.h"
#include "engine/train/model/arena.h"
#include "engine/train/model/parameter.h"
#include "kernels/fp8.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace shardlab::train {

/// A factor of a linear layer's products: its input x, its weight, or the gradient of its output.
enum class Fp8Factor : std::uint8_t { Input, Weight, Gradient };

/// What became of one factor of a linear layer in a step.
struct Fp8Tally {
    int layer = 0;     ///< of the stage, as Parameter counts them
    std::string name;  ///< of the linear layer
    Fp8Factor factor = Fp8Factor::Input;
    float largest = 0;  ///< the largest magnitude on this rank; 0 where nothing was rounded
    float scale = 0;    ///< the smallest scale that rounded it
    /// By microbatch; not-a-number counts in neither, and what a backward computes or rounds again does not count
    /// twice.
    std::vector<Fp8Counts> counts;
};

/// Memory (Buffers), where FactorRoom and factorStateBytes() say how much: codes and scales of the two factors of one
/// product at a time, and what is kept of each factor. A product that sums down the rows of its factors rounds them
/// anew where tiles lie along the sum.
///
/// Where scales are delayed, a factor's scale stays the same through a step. finishStep() enters the step's largest
/// magnitude into the history and takes the next scale from the largest entry: s = largestOf(format) ÷ amax ÷ 2^margin,
/// the scale before where all are 0; the first scale is 1 (Transformer Engine's recipe, amax_compute_algo max). A
/// magnitude that is not finite enters nothing.
class Fp8Products {
public:
    /// `rows`: most rows that an input has. `microbatches`: of a step. `owner`: of those that cut the linear layers,
    /// this rank writes their scales.
    Fp8Products(Arena& arena, const PrecisionSpec& precision, int rows, int microbatches, bool owner = true);

    /// Linear layers that are declared until the matching end belong to experts. Of those of a layer, in their order,
    /// each of `holders` ranks has as many; this one is number `holder`. `spread`: other replicas have others.
    /// `owner`: of those that cut these experts, this rank writes their scales.
    void beginExperts(int holders, int holder, bool spread, bool owner) { held_ = {holders, holder, spread, owner}; }
    void endExperts() { held_ = dense_; }
    /// Announces a linear layer of the stage's layer `layer`; returns its number. Before allocate().
    int declare(const std::string& name, int layer, int inputs, int outputs);
    void allocate();

    /// y = x·W; x [rows, inputs].
    void forward(int number, int rows, ConstArray x, ConstArray weight, Array y);
    /// inputGradient = outputGradient·Wᵀ + before · inputGradient.
    void inputGrad(int number, int rows, ConstArray outputGradient, ConstArray weight, float before,
                   Array inputGradient);
    /// weightGradient = xᵀ·outputGradient + before · weightGradient.
    void weightGrad(int number, int rows, ConstArray x, ConstArray outputGradient, float before, Array weightGradient);

    /// What is rounded from here on belongs to this microbatch.
    void visit(int microbatch) { microbatch_ = microbatch % microbatches_; }
    /// While quiet, nothing is counted and no magnitude is noted: a forward that is done again, or whose gradient is
    /// not taken.
    void setQuiet(bool quiet) { quiet_ = quiet; }
    bool quiet() const { return quiet_; }

    /// To be called after a step: what it did, by layer, product and factor. `combine` makes each of the largest
    /// magnitudes that of all ranks that share the stage; those of experts that a rank does not hold are 0. Only where
    /// scales are delayed is it called.
    std::vector<Fp8Tally> finishStep(const std::function<void(std::span<float>)>& combine);
    /// Scales and histories, for checkpoints: "<name>.fp8" [3, 1 + history], for x, W and dy the scale and the largest
    /// magnitudes of the steps before, the latest first. Empty where scales are not delayed.
    std::vector<Parameter> state() const;

private:
    /// Who has a linear layer's tensors.
    struct Held {
        int holders = 1;
        int holder = 0;
        bool spread = false;
        bool owner = true;
    };
    struct Product {
        Held held;
        std::string name;
        int layer = 0;
        int inputs = 0;
        int outputs = 0;
    };
    std::size_t slot(int number, Fp8Factor factor) const {
        return static_cast<std::size_t>(number) * scaledFactors + static_cast<std::size_t>(factor);
    }
    Fp8Format formatOf(Fp8Factor factor) const;
    bool delayed() const { return delaysScales(precision_); }
    /// Calls `combine` with the magnitudes of all holders' tensors, and takes this rank's from it.
    void combineLargest(std::vector<float>& largest, const std::function<void(std::span<float>)>& combine) const;
    /// Rounds a factor into the room that begins at `codes` and `tiles`, which go on behind it.
    Fp8Matrix round(int number, Fp8Factor factor, bool downRows, bool counts, int rows, int columns, ConstArray x,
                    std::size_t& codes, std::size_t& tiles);

    Arena& arena_;
    const PrecisionSpec precision_;
    const int rows_;
    const int microbatches_;
    std::vector<Product> products_;
    const Held dense_;
    Held held_;  ///< of what is declared next
    FactorRoom room_;
    Buffer codes_;
    Buffer scales_;
    Buffer exponents_;  ///< E8M0
    Buffer largest_;    ///< of the step, by slot
    Buffer counts_;     ///< Fp8Counts by microbatch and slot
    Buffer history_;    ///< by slot: scale, then history; empty where scales are not delayed
    int microbatch_ = 0;
    bool quiet_ = false;
};

}  // namespace shardlab::train
