// SPDX-License-Identifier: Apache-2.0
// pool(relu(convolution(… relu(convolution(x))))): a block of a cnn, as VGG (1409.1556) is made of.
#pragma once

#include "engine/train/model/convolution.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/packed_map.h"
#include "engine/train/model/sparse_map.h"

#include <memory>
#include <vector>

namespace shardlab::train {

/// How maps are kept for the backward (layout/kept_activations.h).
struct KeptMaps {
    bool codes = false;   ///< of the pooled map only pooling codes are kept
    bool sparse = false;  ///< the other maps are kept without their zeros
    int bits = 0;         ///< bits of a number of the other maps; 0: they are kept as they are, or sparse
    std::shared_ptr<PackedTally> tally;  ///< null where all maps are kept as they are
};

struct ConvolutionBlockShape {
    ImageShape input;
    int outputs = 1;
    int convolutions = 1;
    bool ofImage = false;  ///< the input is the image, which has no gradient and is kept as it is
};

/// Memory in elements, with b samples, n convolutions, S²C′ elements of a sample's input and S²C of each map. What
/// convolution.h lists comes on top.
///   forward keeps (Activations)  input b·S²C′, maps n·b·S²C after their ReLU; the output b·S²C ÷ 4 belongs to the next
///                                layer
///   inputGrad                    the last map is overwritten with its gradient, and the output's gradient is freed;
///                                (n−1)·b·S²C gradients of the other maps and the returned one b·S²C′ (`kept`)
///   until weightGrad             the gradients of maps, and all that forward keeps
/// With codes the last map is freed at the end of the forward, its codes (poolCodes bytes) stay until inputGrad, and
/// its gradient is one of those that are `kept`. With bits the other maps, and an input that is no image, are freed as
/// soon as the next convolution has read them; inputGrad unpacks the maps (Activations), and weightGrad for a time the
/// input (Temporary). Sparse maps take their place as those of fewer bits do, one by one where that is worth it.
class ConvolutionBlock : public Layer {
public:
    /// Weights: "<name>.conv.0", "<name>.conv.1" … Where the input is an image, inputGrad returns an empty gradient.
    ConvolutionBlock(const LayerContext& context, const std::string& name, const ConvolutionBlockShape& shape,
                     KeptMaps kept);

    std::unique_ptr<LayerState> newState() const override;
    Buffer forward(LayerState& state, Buffer input) override;
    Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) override;
    void weightGrad(LayerState& state) override;

private:
    struct State;
    /// The shape of each map.
    ImageShape mapShape() const { return convolutions_.front().outputShape(); }
    std::size_t mapSize() const { return static_cast<std::size_t>(mapShape().elements()); }
    PackedMap packed(Buffer map);
    SparseMap sparse(Buffer& map);
    Buffer pool(State& held, bool coded);

    LayerContext context_;
    std::vector<Convolution> convolutions_;
    bool ofImage_;
    KeptMaps kept_;
};

}  // namespace shardlab::train
