// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check_rules.h"
#include "engine/layout/cnn_shape.h"

#include <algorithm>

namespace shardlab::layout {
namespace {

constexpr double mostPixels = 2147483647;  ///< sums over the pixels of a microbatch number them with 32 bits

void checkImage(const ModelSpec& model, std::vector<Fault>& faults) {
    if (model.cnn.image < 1 || model.layers < 1 || mostCnnBlocks(model.cnn.image) >= model.layers) return;
    constexpr int mostBlocks = 10;  // of the largest image
    if (model.layers > mostBlocks) {
        faults.push_back({"/model/layers", say("{} blocks of a cnn", model.layers),
                          say("each halves its maps' sides, and an image has at most 1024 pixels a side"),
                          say("1 to {}", mostBlocks)});
        return;
    }
    const int unit = 1 << model.layers, below = model.cnn.image / unit * unit;
    faults.push_back({"/model/image", say("{} pixels cannot be halved {} times", model.cnn.image, model.layers),
                      say("each block pools its maps to half of their sides, which are even"),
                      below > 0 && below + unit <= 1024 ? say("{} or {}; or fewer model.layers", below, below + unit)
                                                        : say("{}; or fewer model.layers", std::max(below, unit))});
}

}  // namespace

void checkCnn(const Layout& layout, std::vector<Fault>& faults) {
    const ModelSpec& model = layout.model;
    if (!readsImages(model)) return;
    checkImage(model, faults);
    if (layout.data.kind != DataKind::Generator)
        faults.push_back({"/data/kind", say("{} for the model cnn", wordOf(layout.data.kind)),
                          say("a cnn classifies images and reads no text"),
                          say("generator, which makes images for it")});
    if (layout.parallel.tensor > 1)
        faults.push_back(
            {"/parallel/tensor", say("the maps of a cnn are not divided among {} members", layout.parallel.tensor),
             say("the members of a tensor group divide the heads and columns of a transformer; a cnn has neither"),
             say("1, with data and pipeline parallelism")});
    if (layout.parallel.context > 1)
        faults.push_back(
            {"/parallel/context", say("images are not divided among {} members", layout.parallel.context),
             say("the members of a context group divide the tokens of a sample, and an image counts as one token"),
             say("1, with data and pipeline parallelism")});
    const double pixels = double(layout.batch.micro) * model.cnn.image * model.cnn.image;
    if (pixels > mostPixels)
        faults.push_back(
            {"/batch/micro",
             say("{} images of {} × {} pixels are too many at once", layout.batch.micro, model.cnn.image,
                 model.cnn.image),
             say("sums over all their pixels number them with 32 bits"),
             say("at most {}", static_cast<long long>(mostPixels / (double(model.cnn.image) * model.cnn.image)))});
}

}  // namespace shardlab::layout
