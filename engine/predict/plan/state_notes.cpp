// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/state_notes.h"

#include "engine/base/units.h"
#include "engine/layout/formats.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/moment_blocks.h"
#include "engine/layout/recompute.h"
#include "engine/predict/plan/packed_activations.h"

#include <fmt/format.h>

namespace shardlab {

std::vector<std::string> stateNotes(const Layout& layout) {
    std::vector<std::string> notes;
    if (partitionsInputs(layout.memory, layout.parallel)) {
        const int members = layout.parallel.tensor;
        const std::int64_t whole = numberFormats(layout.precision).activationBytes() *
                                   boundaryFloats(layout.model, 1, layout.batch.micro, tensorShare(layout));
        notes.push_back(fmt::format(
            "inputs in parts: of each segment's input, {} a microbatch, each of {} tensor ranks keeps {}, and "
            "gathers the rest before the segment is computed again",
            formatBytes(whole), members, formatBytes(whole / members)));
    }
    if (const PackedActivations packed = packedActivations(layout); packed.plain > 0)
        notes.push_back(fmt::format("activations in fewer bits: of the maps of a microbatch {} in the place of {}",
                                    formatBytes(packed.kept), formatBytes(packed.plain)));
    if (codesMoments(layout.optimizer)) {
        notes.push_back(fmt::format(
            "moments in 8 bits: two codes a parameter and two scales in fp32 for each {} of them, where adamw "
            "has 8 bytes; an update differs from adamw's by what the codes round",
            elementsOfMomentBlock));
        if (layout.parallel.zero > 0 || layout.parallel.tensor > 1)
            notes.push_back(
                "blocks of moments end where shards and tensor parts end: other layouts have other scales there, and "
                "train the same but for what the codes round");
    }
    if (offloadsOptimizer(layout.memory)) {
        const NumberFormats formats = numberFormats(layout.precision);
        notes.push_back(fmt::format(
            "optimizer on the host: its state lies in the host's memory and is updated there by the processor; {} "
            "bytes a parameter go there as gradients in a step, and {} come back as weights, over the device's "
            "own link: what ranks send each other stays the same",
            formats.gradientBytes(), formats.weightBytes()));
    }
    if (swapsActivations(layout.memory))
        notes.push_back(
            "activations on the host: what a forward leaves lies in the host's memory where at least two actions lie "
            "between it and "
            "its backward, and comes back while the last of them computes; with recomputation that is the inputs of "
            "segments");
    return notes;
}

}  // namespace shardlab
