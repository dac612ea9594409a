// SPDX-License-Identifier: Apache-2.0
// As single_faults.h, of what concerns images and how activations are kept.
#pragma once

#include "tests/layout/single_fault.h"
#include "tests/support/wings.h"

#include <vector>

namespace shardlab::test {

inline const std::vector<SingleFault> cnnFaults{
    {"an image that cannot be halved so often",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.model.cnn.image = 24;
     },
     "/model/image", "16 or 32; or fewer model.layers"},
    {"an image with fewer pixels than blocks need",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.model.cnn.image = 8;
     },
     "/model/image", "16; or fewer model.layers"},
    {"more blocks than any image bears",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.model.layers = 12;
     },
     "/model/layers", "1 to 10"},
    {"a cnn of text",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.data = {DataKind::Text, "corpus.txt"};
     },
     "/data/kind", "generator, which makes images for it"},
    {"a cnn shared by a tensor group",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.parallel.tensor = 2;
         l.cluster.hosts[0].devices = 8;
     },
     "/parallel/tensor", "1, with data and pipeline parallelism"},
    {"a cnn shared by a context group",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.parallel.context = 2;
         l.cluster.hosts[0].devices = 8;
     },
     "/parallel/context", "1, with data and pipeline parallelism"},
    {"a single class",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.model.cnn.classes = 1;
     },
     "/model/classes", "2 to 65536"},
    {"attention of a cnn computed again",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.memory.recompute = RecomputeKind::Selective;
     },
     "/memory/recompute", "none, full, sqrt or every"},
    {"second halves of a cnn's blocks",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.memory.recompute = RecomputeKind::Mlp;
     },
     "/memory/recompute", "none, full, sqrt or every"},
    {"norms of a cnn's blocks",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.memory.recompute = RecomputeKind::Pointwise;
     },
     "/memory/recompute", "none, full, sqrt or every"},
    {"codes where nothing is pooled", [](Layout& l) { l.memory.activations = ActivationStorage::Lossless; },
     "/memory/activations", "kept; or model.kind cnn"},
    {"codes of what is computed again",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.memory.activations = ActivationStorage::Lossy8;
         l.memory.recompute = RecomputeKind::Full;
     },
     "/memory/activations", "kept; or memory.recompute none"},
    {"16 bits of 16 bits",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.memory.activations = ActivationStorage::Lossy16;
         l.precision.compute = NumberFormat::Bf16;
     },
     "/memory/activations", "lossy-10 or lossy-8; or precision.compute fp32"},
    {"weights of a cnn",
     [](Layout& l) {
         l.model.kind = ModelKind::Cnn;
         l.model.weights = "weights.safetensors";
     },
     "/model/weights", "model.kind gpt, llama or llama-moe, or no weights"},
};

}  // namespace shardlab::test
