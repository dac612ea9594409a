// SPDX-License-Identifier: Apache-2.0
// AdamW with moments in 8 bits (2110.02861). State: two codes of 8 bits a parameter, the first and the second moment,
// and two floats for each block of codes. Blocks are counted from the parameter's first element on this rank: a shard
// that begins or ends within a block has a scale of its own for its part.
#include "engine/layout/moment_blocks.h"
#include "engine/train/optim/optimizers.h"

namespace shardlab::train {

namespace {

static_assert(momentBlock == elementsOfMomentBlock);

class AdamW8Bit : public Optimizer {
public:
    AdamW8Bit(const OptimizerSetup& setup, std::span<const Parameter> parameters, Arena& arena)
        : Optimizer(setup, parameters, arena), elements_(elementsOf(parameters)) {
        for (const Parameter& parameter : parameters)
            blocks_ += static_cast<std::size_t>(
                momentBlocks(parameter.flatBegin, static_cast<std::int64_t>(parameter.value.size())));
        // With a scale of 0 any code stands for 0.
        codes_ = arena.allocateZeroed(MemoryCategory::Optimizer, 2 * elements_, DType::U8);
        scales_ = arena.allocateZeroed(MemoryCategory::Optimizer, 2 * blocks_);
    }

    void update(std::span<Parameter> parameters, int step, float gradientScale) override {
        const AdamWUpdate change = adamwUpdate(spec_.adamw, rate(step), step, gradientScale);
        parts_.clear();
        forEach(parameters, [&](std::size_t i, std::size_t element, std::size_t block) {
            const Parameter& parameter = parameters[i];
            AdamW8BitPart& part = parts_.emplace_back();
            part.begin = parameter.flatBegin;
            part.count = static_cast<std::int64_t>(parameter.value.size());
            part.weightDecay = decay(parameter);
            part.gradient = parameter.gradient.data();
            part.value = parameter.value.data();
            part.master = master_.of(i).data().floats();
            part.first = codes() + element;
            part.second = codes() + elements_ + element;
            part.firstScales = scales_.floats() + block;
            part.secondScales = scales_.floats() + blocks_ + block;
        });
        arena_.device().adamw8Bit(change, parts_);
    }

    std::vector<OptimizerState> state(std::span<const Parameter> parameters) override {
        std::vector<OptimizerState> all;
        for (const bool second : {false, true})
            forEach(parameters, [&](std::size_t i, std::size_t element, std::size_t block) {
                OptimizerState& state = all.emplace_back();
                state.kind = second ? "second moment" : "first moment";
                state.parameter = i;
                state.values = codes_.span().subspan((second ? elements_ : 0) + element, parameters[i].value.size());
                state.codes = {scales_.floats() + (second ? blocks_ : 0) + block, second};
            });
        return all;
    }

private:
    std::uint8_t* codes() const { return static_cast<std::uint8_t*>(codes_.data().data); }

    /// Calls visit(parameter, its first element, its first block), both counted over all parameters, for each parameter
    /// that has elements here.
    template <class Visit>
    void forEach(std::span<const Parameter> parameters, const Visit& visit) const {
        std::size_t element = 0, block = 0;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const std::size_t count = parameters[i].value.size();
            if (count == 0) continue;
            visit(i, element, block);
            element += count;
            block += static_cast<std::size_t>(momentBlocks(parameters[i].flatBegin, static_cast<std::int64_t>(count)));
        }
    }

    std::size_t elements_ = 0;
    std::size_t blocks_ = 0;
    Buffer codes_;   ///< all first moments, then all second moments, in the order of the parameters
    Buffer scales_;  ///< those of the first moments' blocks, then those of the second's
    std::vector<AdamW8BitPart> parts_;
};

}  // namespace

std::unique_ptr<Optimizer> makeAdamW8Bit(const OptimizerSetup& setup, std::span<Parameter> parameters, Arena& arena) {
    return std::make_unique<AdamW8Bit>(setup, parameters, arena);
}

}  // namespace shardlab::train
