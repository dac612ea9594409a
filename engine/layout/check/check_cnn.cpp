// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check/check_rules.h"
#include "engine/layout/cnn_shape.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab {
namespace {

constexpr double mostPixels = 2147483647;  ///< sums over the pixels of a microbatch number them with 32 bits

void checkImage(const ModelSpec& model, std::vector<Fault>& faults) {
    if (model.image < 1 || model.layers < 1 || mostCnnBlocks(model.image) >= model.layers) return;
    constexpr int mostBlocks = 10;  // of the largest image
    if (model.layers > mostBlocks) {
        faults.push_back({"/model/layers", fmt::format("{} blocks of a cnn", model.layers),
                          "each halves its maps' sides, and an image has at most 1024 pixels a side",
                          fmt::format("1 to {}", mostBlocks)});
        return;
    }
    const int unit = 1 << model.layers, below = model.image / unit * unit;
    faults.push_back({"/model/image", fmt::format("{} pixels cannot be halved {} times", model.image, model.layers),
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
    if (layout.data.kind == "text" || layout.data.kind == "tokens")
        faults.push_back({"/data/kind", fmt::format("{} for the model cnn", layout.data.kind),
                          "it tells images apart, and reads no text", "generator, which makes images for it"});
    if (layout.parallel.tensor > 1)
        faults.push_back({"/parallel/tensor", fmt::format("maps are not shared by {} members", layout.parallel.tensor),
                          "the members of a tensor group share heads and columns of a transformer; a cnn has neither",
                          "1, with data and pipeline parallelism"});
    if (layout.parallel.context > 1)
        faults.push_back({"/parallel/context",
                          fmt::format("images are not shared by {} members", layout.parallel.context),
                          "the members of a context group share the tokens of a sample; an image is one",
                          "1, with data and pipeline parallelism"});
    const double pixels = double(layout.batch.micro) * model.image * model.image;
    if (pixels > mostPixels)
        faults.push_back(
            {"/batch/micro",
             fmt::format("{} images of {} × {} pixels are too many at once", layout.batch.micro, model.image,
                         model.image),
             "sums over all their pixels number them with 32 bits",
             fmt::format("at most {}", static_cast<long long>(mostPixels / (double(model.image) * model.image)))});
}

}  // namespace shardlab
