// SPDX-License-Identifier: Apache-2.0
// Where the layers of a stage declare their weights. Once all are declared, values and gradients are given out as
// slices of two contiguous blocks, in the order of declaration; those of experts that other ranks hold others of come
// last, so that either sort is contiguous.
#pragma once

#include "engine/train/model/arena.h"
#include "engine/train/model/parameter.h"
#include "engine/train/model/types.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab {

/// What a stage allocates itself. Where ZeRO shares it out, whoever does so binds Parameter::value or ::gradient to
/// memory of his own before a layer uses it.
struct StageStorage {
    bool values = true;
    bool gradients = true;
};

/// How a weight starts: normal(0, deviation) from the stream (seed, name), or a constant where deviation is 0.
struct Initial {
    double deviation = 0;
    float constant = 0;
    bool truncated = false;  ///< what lies beyond two deviations is drawn again
};

/// How a tensor group cuts a weight, as Slice says; axis -1: every member holds all of it.
struct Cut {
    int axis = -1;
    int groups = 1;
};

class ParameterSet;

/// A layer's handle on one of its weights; its pointers are valid after ParameterSet::allocate.
class Weight {
public:
    /// Of this member's part.
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
    /// Of member `part` of a tensor group of `parts`.
    explicit ParameterSet(int parts = 1, int part = 0) : parts_(parts), part_(part) {}
    ParameterSet(const ParameterSet&) = delete;
    ParameterSet& operator=(const ParameterSet&) = delete;

    /// `whole` is the shape of the whole tensor; this member holds its part of the cut.
    /// A name that was declared before is the same weight (the token embedding of a stage that is first and last).
    Weight declare(const std::string& name, std::vector<int> whole, Initial initial, bool decays, Cut cut = {});
    /// What is declared from here on belongs to the stage's next layer.
    void beginLayer() { ++layer_; }
    int layers() const { return layer_ + 1; }
    /// What is declared until it is ended belongs to experts of which other ranks hold others.
    void beginExperts() { inExperts_ = true; }
    void endExperts() { inExperts_ = false; }
    /// The weight, where this stage has it, is shared with another stage.
    void tie(std::string_view name, bool owner);
    /// Once, after the last declaration. Gradients are zero. What `storage` leaves out stays unbound.
    void allocate(Arena& arena, const Types& types, std::int64_t seed, const StageStorage& storage = {});
    /// What this member's part of weight `index` starts with; in the processor's memory.
    void initialise(std::size_t index, std::int64_t seed, std::span<float> values) const;

    /// Weight::value() points into this copy of the values until the next call; empty: into the values themselves.
    void computeWith(ConstArraySpan copy) { copy_ = copy; }

    std::span<Parameter> parameters() { return parameters_; }
    ArraySpan values() const { return values_.span(); }
    ArraySpan gradients() const { return gradients_.span(); }

private:
    friend class Weight;
    int parts_;
    int part_;
    std::vector<Parameter> parameters_;
    std::vector<Initial> initials_;
    int layer_ = -1;
    bool inExperts_ = false;
    Buffer values_;
    ConstArraySpan copy_;
    Buffer gradients_;
};

}  // namespace shardlab
