// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/convolution_block.h"

#include <fmt/format.h>

namespace shardlab::train {

namespace {

std::int64_t bytesOf(const Buffer& buffer) { return static_cast<std::int64_t>(buffer.span().bytes().size()); }

}  // namespace

struct ConvolutionBlock::State : LayerState {
    std::vector<Buffer> maps;       ///< by convolution; after inputGrad the last one is its gradient, where it was kept
    std::vector<Buffer> gradients;  ///< gradients of the other maps, or of all
    std::vector<PackedMap> packed;  ///< kept instead of all maps but the last
    std::vector<SparseMap> sparse;  ///< kept instead of those whose sparse form is not empty
    PackedMap packedInput;
    Buffer codes;  ///< kept instead of the last map

    void visitSavedBuffers(const KeptVisitor& visit) override {
        visit(input);
        for (Buffer& map : maps) visit(map);
        for (PackedMap& map : packed) visit(map.buffer());
        for (SparseMap& map : sparse) map.visit(visit);
        visit(packedInput.buffer());
        visit(codes);
    }
};

ConvolutionBlock::ConvolutionBlock(const LayerContext& context, const std::string& name,
                                   const ConvolutionBlockShape& shape, KeptMaps kept)
    : context_(context), ofImage_(shape.ofImage), kept_(std::move(kept)) {
    ImageShape input = shape.input;
    for (int i = 0; i < shape.convolutions; ++i) {
        convolutions_.emplace_back(context, fmt::format("{}.conv.{}", name, i), input, shape.outputs);
        input = convolutions_.back().outputShape();
    }
}

std::unique_ptr<LayerState> ConvolutionBlock::newState() const { return std::make_unique<State>(); }

PackedMap ConvolutionBlock::packed(Buffer map) {
    kept_.tally->plain += bytesOf(map);
    PackedMap made(context_, kept_.bits, std::move(map));
    kept_.tally->kept += made.bytes();
    return made;
}

SparseMap ConvolutionBlock::sparse(Buffer& map) {
    const std::int64_t plain = bytesOf(map);
    SparseMap made(context_, map);
    kept_.tally->plain += plain;
    kept_.tally->kept += made.empty() ? plain : made.bytes();
    return made;
}

Buffer ConvolutionBlock::pool(State& held, bool coded) {
    Buffer& map = held.maps.back();
    Buffer pooled = context_.allocate(MemoryCategory::Activations, mapSize() / 4);
    if (!coded) {
        context_.device().maxPool(mapShape(), map.data(), pooled.data(), nullptr);
        return pooled;
    }
    held.codes = context_.arena.allocate(MemoryCategory::Activations, poolCodes(mapShape()), DType::U8);
    context_.device().maxPool(mapShape(), map.data(), pooled.data(), codesOf(held.codes));
    kept_.tally->plain += bytesOf(map);
    kept_.tally->kept += bytesOf(held.codes);
    map = {};
    return pooled;
}

Buffer ConvolutionBlock::forward(LayerState& state, Buffer input) {
    auto& held = static_cast<State&>(state);
    const bool trains = held.firstSample.has_value();  // else nothing is kept, and everything is freed at the end
    held.input = std::move(input);
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
        held.maps.push_back(context_.allocate(MemoryCategory::Activations, mapSize()));
        Buffer& below = i == 0 ? held.input : held.maps[i - 1];
        convolutions_[i].forwardRelu(below.data(), held.maps[i].data());
        if (kept_.sparse && trains && i > 0) held.sparse.push_back(sparse(below));
        if (kept_.bits == 0 || !trains || (i == 0 && ofImage_)) continue;
        PackedMap made = packed(std::move(below));
        if (i == 0) held.packedInput = std::move(made);
        else held.packed.push_back(std::move(made));
    }
    return pool(held, kept_.codes && trains);
}

Buffer ConvolutionBlock::inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) {
    auto& held = static_cast<State&>(state);
    const std::size_t last = convolutions_.size() - 1;
    held.gradients.resize(last);
    if (held.codes.empty()) {
        context_.device().maxPoolGrad(mapShape(), outputGradient.data(), held.maps[last].data());
    } else {
        held.gradients.push_back(context_.allocate(kept, mapSize()));
        context_.device().maxPoolCodedGrad(mapShape(), codesOf(held.codes), outputGradient.data(),
                                           held.gradients[last].data());
        held.codes = {};
    }
    outputGradient = {};
    ConstArray gradient = held.gradients.size() > last ? held.gradients[last].data() : held.maps[last].data();
    for (std::size_t i = last; i > 0; --i) {
        if (kept_.bits > 0) {
            held.maps[i - 1] = held.packed[i - 1].unpack(context_, MemoryCategory::Activations);
            held.packed[i - 1] = {};
        } else if (kept_.sparse && !held.sparse[i - 1].empty()) {
            held.maps[i - 1] = held.sparse[i - 1].unpack(context_);
            held.sparse[i - 1] = {};
        }
        Buffer& below = held.gradients[i - 1];
        below = context_.allocate(kept, mapSize());
        convolutions_[i].inputGrad(gradient, held.maps[i - 1].data(), below.data());
        gradient = below.data();
    }
    if (ofImage_) return {};
    Buffer inputGradient = context_.allocate(kept, static_cast<std::size_t>(convolutions_.front().shape().elements()));
    convolutions_.front().inputGrad(gradient, {}, inputGradient.data());
    return inputGradient;
}

void ConvolutionBlock::weightGrad(LayerState& state) {
    auto& held = static_cast<State&>(state);
    const std::size_t last = convolutions_.size() - 1;
    for (std::size_t i = convolutions_.size(); i-- > 0;) {
        const Buffer& gradient = i < held.gradients.size() ? held.gradients[i] : held.maps[last];
        if (i > 0) {
            convolutions_[i].weightGrad(held.maps[i - 1].data(), gradient.data());
        } else if (held.packedInput.empty()) {
            convolutions_[i].weightGrad(held.input.data(), gradient.data());
        } else {
            const Buffer input = held.packedInput.unpack(context_, MemoryCategory::Temporary);
            convolutions_[i].weightGrad(input.data(), gradient.data());
        }
    }
    held = {};
}

}  // namespace shardlab::train
