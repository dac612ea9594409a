// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/cnn_buffers.h"

#include "engine/layout/cnn_shape.h"
#include "engine/layout/formats.h"
#include "engine/layout/kept_activations.h"
#include "engine/layout/logit_rows.h"
#include "engine/layout/recompute.h"
#include "engine/predict/plan/packed_activations.h"

#include <vector>

namespace shardlab::predict {
namespace {

using Category = MemoryCategory;

/// Bytes of one block of model/convolution_block.h, for a microbatch.
struct BlockBytes {
    std::int64_t input;
    std::int64_t map;                   ///< each convolution's
    std::int64_t pooled;                ///< the output
    std::int64_t codes;                 ///< instead of the last map; 0: that is kept
    std::int64_t packedMap;             ///< instead of another map; 0: those are kept
    std::int64_t packedInput;           ///< instead of the input; 0: that is kept
    std::vector<std::int64_t> passing;  ///< of each convolution: one sample's patches
    std::vector<std::int64_t> copies;  ///< and the copy of its weights that is rounded for the product; 0 where none is

    std::int64_t convolutions() const { return static_cast<std::int64_t>(passing.size()); }
    /// The bytes of maps that the forward leaves.
    std::int64_t left() const {
        const std::int64_t others = (convolutions() - 1) * (packedMap > 0 ? packedMap : map);
        return others + (codes > 0 ? codes : map);
    }
    /// The bytes of maps that the input gradient unpacks.
    std::int64_t unpacked() const { return (convolutions() - (codes > 0 ? 1 : 0)) * map; }
    /// Gradients that have places of their own: a last map that was kept lends its own.
    std::int64_t gradients() const { return (convolutions() - (codes > 0 ? 0 : 1)) * map; }
};

struct HeadBytes {
    std::int64_t features;
    std::int64_t besides;  ///< statistics and logits
    std::int64_t copy;     ///< of the projection
    std::int64_t targets;
};

/// Follows Stage of model/stage.cpp buffer by buffer; keep the two side by side.
class CnnWalk {
public:
    CnnWalk(const Layout& layout, const StageShape& shape, const StageNeighbours& neighbours)
        : shape_(shape), neighbours_(neighbours),
          segments_(layerSegments(layout.model, layout.memory, {shape.layers, false, false})) {
        const ModelSpec& model = layout.model;
        const NumberFormats formats = numberFormats(layout.precision);
        const std::int64_t bytes = formats.activationBytes(), samples = layout.batch.micro;
        for (int block = shape.firstLayer; block < shape.firstLayer + shape.layers; ++block) {
            const std::int64_t side = blockSide(model, block), map = bytes * samples * blockMapFloats(model, block);
            const std::int64_t taken = samples * blockInputFloats(model, block);
            BlockBytes& made = blocks_.emplace_back(BlockBytes{bytes * taken, map, map / 4, 0, 0, 0, {}, {}});
            if (codesPools(layout.memory)) made.codes = samples * blockCodeBytes(model, block);
            if (keepsSparsely(layout.memory)) {
                const std::int64_t numbers = samples * blockMapFloats(model, block);
                // Where a map stays, counting its zeros takes fewer bytes than the pool and the head after it.
                made.packedMap = sparseMapBytes(numbers, assumedNonzeros(numbers), bytes);
            }
            if (const int bits = packedBits(layout.memory); bits > 0) {
                made.packedMap = bytesInBits(samples * blockMapFloats(model, block), bits);
                if (block > 0) made.packedInput = bytesInBits(taken, bits);
            }
            for (const std::int64_t rows : convolutionRows(model, block)) {
                made.passing.push_back(bytes * side * side * rows);
                made.copies.push_back(formats.castsWeights() ? bytes * rows * blockChannels(model, block) : 0);
            }
        }
        constexpr std::int64_t fp32 = bytesOf(NumberFormat::Fp32);
        const std::int64_t width = outputWidth(model), classes = model.cnn.classes;
        pixels_ = static_cast<std::int64_t>(sizeof(std::int32_t)) * samples * sampleInputs(model);
        head_ = {bytes * samples * width, fp32 * normNumbers(model) * samples + bytes * samples * logitStride(classes),
                 formats.castsWeights() ? bytes * width * classes : 0,
                 static_cast<std::int64_t>(sizeof(std::int32_t)) * samples};
    }

    MemoryDelta forward() const {
        Tally tally;
        if (shape_.first) {
            tally.add(Category::Activations, blocks_.front().input);
            passing(tally, pixels_);
        }
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            forwardBlock(tally, i);
            if (segments_[i] < 0) continue;
            tally.add(Category::Activations, -blocks_[i].left());
            if (segments_[i] != static_cast<int>(i)) tally.add(Category::Activations, -blocks_[i].input);
        }
        if (shape_.last) {
            tally.add(Category::Activations, head_.features + head_.besides);
            passing(tally, head_.copy);
            passing(tally, head_.targets);
        }
        return tally.whole();
    }

    /// Input gradients from the top; where `weightsToo`, each block's weight gradient follows at once and frees it.
    MemoryDelta inputGrads(Category kept, bool weightsToo) const {
        Tally tally;
        if (shape_.last) {
            tally.add(kept, head_.features);  // of the norm's output
            passing(tally, head_.copy);
            tally.add(kept, head_.features);  // of the input
            if (weightsToo) freeHead(tally, kept);
        }
        for (std::size_t i = blocks_.size(); i-- > 0;) {
            const BlockBytes& block = blocks_[i];
            if (endsSegment(segments_, static_cast<int>(i))) recompute(tally, i);
            if (block.codes > 0) tally.add(kept, block.map);
            tally.add(Category::Activations, -block.codes);
            tally.add(outputGradient(i, kept), -block.pooled);
            for (std::size_t k = block.passing.size(); k-- > 0;) {
                if (k == 0 && isImage(i)) break;
                if (k > 0 && block.packedMap > 0) {
                    tally.add(Category::Activations, block.map);
                    tally.add(Category::Activations, -block.packedMap);
                }
                tally.add(kept, k == 0 ? block.input : block.map);
                passing(tally, block.passing[k] + block.copies[k]);
            }
            if (weightsToo) freeBlock(tally, i, kept);
        }
        return tally.whole();
    }

    MemoryDelta weightGrads(Category kept) const {
        Tally tally;
        if (shape_.last) freeHead(tally, kept);
        for (std::size_t i = blocks_.size(); i-- > 0;) freeBlock(tally, i, kept);
        return tally.whole();
    }

    std::int64_t inputBytes() const { return blocks_.front().input; }
    std::int64_t outputBytes() const { return blocks_.back().pooled; }

private:
    void forwardBlock(Tally& tally, std::size_t i) const {
        const BlockBytes& block = blocks_[i];
        for (std::size_t k = 0; k < block.passing.size(); ++k) {
            tally.add(Category::Activations, block.map);
            passing(tally, block.passing[k] + block.copies[k]);
            const std::int64_t packed = k == 0 ? block.packedInput : block.packedMap;
            if (packed == 0) continue;
            tally.add(Category::Activations, packed);
            tally.add(k == 0 ? inputCategory(i) : Category::Activations, -(k == 0 ? block.input : block.map));
        }
        tally.add(Category::Activations, block.pooled);
        if (block.codes == 0) return;
        tally.add(Category::Activations, block.codes);
        tally.add(Category::Activations, -block.map);
    }

    void recompute(Tally& tally, std::size_t last) const {
        for (auto i = static_cast<std::size_t>(segments_[last]); i <= last; ++i) forwardBlock(tally, i);
        tally.add(Category::Activations, -blocks_[last].pooled);  // which nobody takes
    }

    /// Whether the input of convolution `i` is the image, whose gradient is not needed.
    bool isImage(std::size_t i) const { return i == 0 && shape_.first; }

    Category inputCategory(std::size_t i) const {
        return i == 0 && neighbours_.inputReceived ? Category::Buffers : Category::Activations;
    }

    Category outputGradient(std::size_t i, Category kept) const {
        return i + 1 == blocks_.size() && !shape_.last ? neighbours_.gradient : kept;
    }

    void freeHead(Tally& tally, Category kept) const {
        // The head's input is the last block's output.
        tally.add(Category::Activations, -(2 * head_.features + head_.besides));
        tally.add(kept, -head_.features);  // of the norm's output; that of its input has gone down
    }

    void freeBlock(Tally& tally, std::size_t i, Category kept) const {
        const BlockBytes& block = blocks_[i];
        for (std::size_t k = block.passing.size(); k-- > 0;)
            passing(tally, block.passing[k] + (k == 0 && block.packedInput > 0 ? block.input : 0));
        if (block.packedInput > 0) tally.add(Category::Activations, -block.packedInput);
        else tally.add(inputCategory(i), -block.input);
        tally.add(Category::Activations, -block.unpacked());
        tally.add(kept, -block.gradients());
    }

    StageShape shape_;
    StageNeighbours neighbours_;
    std::vector<int> segments_;
    std::vector<BlockBytes> blocks_;
    HeadBytes head_{};
    std::int64_t pixels_ = 0;
};

}  // namespace

StageBuffers cnnStageBuffers(const Layout& layout, const StageShape& shape, const StageNeighbours& neighbours) {
    const CnnWalk walk(layout, shape, neighbours);
    StageBuffers buffers;
    buffers.forward = walk.forward();
    buffers.backward = walk.inputGrads(Category::Temporary, true);
    buffers.inputGrad = walk.inputGrads(Category::Buffers, false);
    buffers.weightGrad = walk.weightGrads(Category::Buffers);
    buffers.inputBytes = walk.inputBytes();
    buffers.outputBytes = walk.outputBytes();
    return buffers;
}

}  // namespace shardlab::predict
