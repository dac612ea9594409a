// SPDX-License-Identifier: Apache-2.0
// The weights of a stage, which its layers declare. Once all are declared, values and gradients become slices of two
// contiguous blocks, in the order of declaration. Weights of experts that are spread over ranks come last, so that both
// sorts are contiguous.
#pragma once

#include "engine/train/model/arena.h"
#include "engine/train/model/parameter.h"
#include "engine/train/model/types.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::train {

/// What a stage allocates itself. Where it does not, ZeRO binds Parameter::value or ::gradient to other memory before a
/// layer uses it.
struct StageStorage {
    bool values = true;
    bool gradients = true;
};

/// How a weight starts: normal(0, deviation) from the random stream of (seed, name), or a constant where deviation is
/// 0.
struct Initial {
    double deviation = 0;
    float constant = 0;
    bool truncated = false;  ///< numbers beyond two deviations are drawn again
};

/// How a tensor group cuts a weight, as Slice says; axis -1: every member holds all of it.
struct Cut {
    int axis = -1;
    int groups = 1;
    int together = 1;
    int tail = 0;
    int unit = 1;
};

class ParameterSet;

/// A layer's handle to one of its weights; its pointers are valid after ParameterSet::allocate().
class Weight {
public:
    /// The shape of this member's part.
    const std::vector<int>& shape() const;
    ConstArray value() const;
    Array gradient() const;

private:
    friend class ParameterSet;
    Weight(const ParameterSet& set, std::size_t index) : set_(&set), index_(index) {}
    const ParameterSet* set_;
    std::size_t index_;
};

class ParameterSet {
public:
    /// The weights of member `part` of a tensor group of `parts`.
    explicit ParameterSet(int parts = 1, int part = 0) : tensor_{parts, part}, cutting_(tensor_) {}
    ParameterSet(const ParameterSet&) = delete;
    ParameterSet& operator=(const ParameterSet&) = delete;

    /// `whole` is the shape of the whole tensor; this member holds its part of the cut.
    /// A name that was declared before means the same weight (the token embedding of a stage that is first and last).
    Weight declare(const std::string& name, std::vector<int> whole, Initial initial, bool decays, Cut cut = {});
    /// Weights that are declared from here on belong to the stage's next layer.
    void beginLayer() { ++layer_; }
    int layers() const { return layer_ + 1; }
    /// Weights that are declared until the matching end belong to experts, which `parts` members cut, this one being
    /// number `part` of them. `spread`: other replicas hold other experts.
    void beginExperts(int parts, int part, bool spread) {
        cutting_ = {parts, part};
        inExperts_ = spread;
    }
    void endExperts() {
        cutting_ = tensor_;
        inExperts_ = false;
    }
    /// Marks the weight, if this stage has it, as shared with another stage.
    void tie(std::string_view name, bool owner);
    /// To be called once after the last declaration. Gradients are zero; what `storage` leaves out stays unbound.
    void allocate(Arena& arena, const Types& types, std::int64_t seed, const StageStorage& storage = {});
    /// The initial values of this member's part of weight `index`, in the processor's memory.
    void initialise(std::size_t index, std::int64_t seed, std::span<float> values) const;

    /// Until the next call Weight::value() points into this copy of the values; where it is empty, into the values.
    void computeWith(ConstArraySpan copy) { copy_ = copy; }

    std::span<Parameter> parameters() { return parameters_; }
    ArraySpan values() const { return values_.span(); }
    ArraySpan gradients() const { return gradients_.span(); }

private:
    friend class Weight;
    struct Members {
        int parts;
        int part;
    };
    Members tensor_;
    Members cutting_;  ///< those that cut what is declared next
    std::vector<Parameter> parameters_;
    std::vector<Initial> initials_;
    int layer_ = -1;
    bool inExperts_ = false;
    Buffer values_;
    ConstArraySpan copy_;
    Buffer gradients_;
};

}  // namespace shardlab::train
