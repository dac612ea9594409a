// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check_rules.h"
#include "engine/layout/cnn_shape.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::layout {
namespace {

constexpr double mostPixels = 2147483647;  ///< sums over the pixels of a microbatch number them with 32 bits

void checkImage(const ModelSpec& model, std::vector<Fault>& faults) {
    if (model.cnn.image < 1 || model.layers < 1 || mostCnnBlocks(model.cnn.image) >= model.layers) return;
    constexpr int mostBlocks = 10;  // of the largest image
    if (model.layers > mostBlocks) {
        faults.push_back({"/model/layers", fmt::format("{} blocks of a cnn", model.layers),
                          "each halves its maps' sides, and an image has at most 1024 pixels a side",
                          fmt::format("1 to {}", mostBlocks)});
        return;
    }
    const int unit = 1 << model.layers, below = model.cnn.image / unit * unit;
    faults.push_back({"/model/image", fmt::format("{} pixels cannot be halved {} times", model.cnn.image, model.layers),
                      "each block pools its maps to half of their sides, which are even",
                      below > 0 && below + unit <= 1024
                          ? fmt::format("{} or {}; or fewer model.layers", below, below + unit)
                          : fmt::format("{}; or fewer model.layers", std::max(below, unit))});
}

}  // namespace

void checkCnn(const Layout& layout, std::vector<Fault>& faults) {
    const ModelSpec& model = layout.model;
    if (!readsImages(model)) return;
    checkImage(model, faults);
    if (layout.data.kind != DataKind::Generator)
        faults.push_back({"/data/kind", fmt::format("{} for the model cnn", wordOf(layout.data.kind)),
                          "a cnn classifies images and reads no text", "generator, which makes images for it"});
    if (layout.parallel.tensor > 1)
        faults.push_back(
            {"/parallel/tensor",
             fmt::format("the maps of a cnn are not divided among {} members", layout.parallel.tensor),
             "the members of a tensor group divide the heads and columns of a transformer; a cnn has neither",
             "1, with data and pipeline parallelism"});
    if (layout.parallel.context > 1)
        faults.push_back(
            {"/parallel/context", fmt::format("images are not divided among {} members", layout.parallel.context),
             "the members of a context group divide the tokens of a sample, and an image counts as one token",
             "1, with data and pipeline parallelism"});
    const double pixels = double(layout.batch.micro) * model.cnn.image * model.cnn.image;
    if (pixels > mostPixels)
        faults.push_back({"/batch/micro",
                          fmt::format("{} images of {} × {} pixels are too many at once", layout.batch.micro,
                                      model.cnn.image, model.cnn.image),
                          "sums over all their pixels number them with 32 bits",
                          fmt::format("at most {}", static_cast<long long>(
                                                        mostPixels / (double(model.cnn.image) * model.cnn.image)))});
}

}  // namespace shardlab::layout
