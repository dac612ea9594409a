// SPDX-License-Identifier: Apache-2.0
// What is refused of images, and of how activations are kept.
#pragma once

#include "tests/layout/refusals/premises.h"

namespace shardlab::test {

inline bool halvesEvenly(const Layout& l) {
    return l.model.layers <= 10 && l.model.cnn.image % (1 << l.model.layers) == 0;
}

inline constexpr Refusal cnnRefusals[]{
    {"an image that cannot be halved so often",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.model.cnn.image = 24;
     },
     "/model/image", "16 or 32; or fewer model.layers", contradiction("image ÷ 2^layers is whole", halvesEvenly)},
    {"an image with fewer pixels than blocks need",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.model.cnn.image = 8;
     },
     "/model/image", "16; or fewer model.layers", contradiction("image ÷ 2^layers is whole", halvesEvenly)},
    {"the largest image, which cannot be halved so often",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.model.cnn.image = 1022;
     },
     "/model/image", "1008 or 1024; or fewer model.layers", contradiction("image ÷ 2^layers is whole", halvesEvenly)},
    {"more blocks than any image bears",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.model.layers = 12;
     },
     "/model/layers", "1 to 10",
     contradiction("2^layers is at most the 1024 pixels of the largest image",
                   [](const Layout& l) { return 1 << l.model.layers <= 1024; })},
    {"a cnn of text",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.data = {DataKind::Text, "corpus.txt"};
     },
     "/data/kind", "generator, which makes images for it",
     absent("images in a file of text", [](const Layout& l) { return l.data.kind == DataKind::Generator; })},
    {"a cnn shared by a tensor group",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.parallel.tensor = 2;
         onOneHost(l);
     },
     "/parallel/tensor", "1, with data and pipeline parallelism",
     notBuilt("convolutions whose channels a tensor group divides")},
    {"a cnn shared by a context group",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.parallel.context = 2;
         onOneHost(l);
     },
     "/parallel/context", "1, with data and pipeline parallelism",
     notBuilt("convolutions of parts of an image, whose borders the members of a group exchange")},
    {"more pixels at once than are numbered",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.model.cnn.image = 1024;
         l.batch = {8192, 2048};
     },
     "/batch/micro", "at most 2047",
     contradiction("pixels of a microbatch < 2^31",
                   [](const Layout& l) {
                       return std::int64_t{l.batch.micro} * l.model.cnn.image * l.model.cnn.image < 1LL << 31;
                   })},
    {"attention of a cnn computed again",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.memory.recompute = RecomputeKind::Selective;
     },
     "/memory/recompute", "none, full, sqrt or every", withoutGain()},
    {"attention of an mlp computed again",
     [](Layout& l) {
         l.model.kind = ModelKind::Mlp;
         l.memory.recompute = RecomputeKind::Parts;
         l.memory.recomputeParts.set(RecomputePart::Core, true);
         l.memory.recomputeParts.set(RecomputePart::Norms, true);
     },
     "/memory/recompute_parts", "a list without core", withoutGain()},
    {"second halves of a cnn's blocks",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.memory.recompute = RecomputeKind::Mlp;
     },
     "/memory/recompute", "none, full, sqrt or every",
     absent(
         "a feed-forward block in a cnn",
         [](const Layout& l) { return l.model.kind != ModelKind::Cnn || l.memory.recompute != RecomputeKind::Mlp; })},
    {"norms of a cnn's blocks",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.memory.recompute = RecomputeKind::Pointwise;
     },
     "/memory/recompute", "none, full, sqrt or every", withoutGain()},
    {"codes where nothing is pooled", [](Layout& l) { l.memory.activations = ActivationStorage::Lossless; },
     "/memory/activations", "kept; or model.kind cnn", pointless()},
    {"codes of what is computed again",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.memory.activations = ActivationStorage::Lossy8;
         l.memory.recompute = RecomputeKind::Full;
     },
     "/memory/activations", "kept; or memory.recompute none",
     notBuilt("codes of the maps that a segment makes again, from then until its backward")},
    {"16 bits of 16 bits",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.memory.activations = ActivationStorage::Lossy16;
         l.precision.compute = NumberFormat::Bf16;
     },
     "/memory/activations", "lossy-10 or lossy-8; or precision.compute fp32",
     contradiction("16 bits are fewer than a number of the format has",
                   [](const Layout& l) {
                       return l.memory.activations != ActivationStorage::Lossy16 ||
                              l.precision.compute == NumberFormat::Fp32;
                   })},
    {"weights of a cnn",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.model.weights = "weights.safetensors";
     },
     "/model/weights", "model.kind gpt or llama; or no weights",
     absent("a published format of a cnn's weights",
            [](const Layout& l) { return l.model.weights.empty() || l.model.kind != ModelKind::Cnn; })},
};

}  // namespace shardlab::test
