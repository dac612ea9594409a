// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/state_notes.h"

#include "engine/base/units.h"
#include "engine/layout/coded_exchange.h"
#include "engine/layout/formats.h"
#include "engine/layout/kept_activations.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/moment_blocks.h"
#include "engine/layout/recompute.h"
#include "engine/predict/plan/packed_activations.h"

#include <fmt/format.h>

namespace shardlab::predict {

std::vector<Sentence> stateNotes(const Layout& layout) {
    std::vector<Sentence> notes;
    if (partitionsInputs(layout.memory, layout.parallel)) {
        const int members = layout.parallel.tensor;
        const std::int64_t whole = numberFormats(layout.precision).activationBytes() *
                                   boundaryFloats(layout.model, 1, layout.batch.micro, tensorShare(layout));
        notes.push_back(say("partitioned activations: each of {} tensor ranks keeps {} of a segment's input, which is "
                            "{} a microbatch, and gathers the rest before the segment is computed again",
                            members, formatBytes(whole / members), formatBytes(whole)));
    }
    if (const PackedActivations packed = packedActivations(layout); packed.plain > 0)
        notes.push_back(say("activations in fewer bits: the maps of a microbatch take {} instead of {}",
                            formatBytes(packed.kept), formatBytes(packed.plain)));
    if (readsImages(layout.model) && keepsSparsely(layout.memory) && layout.model.cnn.convolutions > 1)
        notes.push_back(say("lossless activations: maps that are convolved again are kept without their zeros, and the "
                            "data decide how many these are; the plan takes half of the numbers to be 0, which is what "
                            "a ReLU cuts at first"));
    if (traits(layout.optimizer.kind).codesMoments) {
        notes.push_back(
            say("moments in 8 bits: each parameter has two codes, and each {} parameters share two scales in fp32, "
                "where adamw keeps 8 bytes a parameter; an update differs from adamw's by the rounding of the codes",
                elementsOfMomentBlock));
        if (layout.parallel.zero > 0 || layout.parallel.tensor > 1)
            notes.push_back(say("blocks of moments end where shards and tensor parts end: other layouts have other "
                                "scales there, and train the same but for the rounding of the codes"));
    }
    if (codesExchange(layout)) {
        constexpr std::int64_t counted = 1024 * codeBlock;
        const double bits = 8.0 * static_cast<double>(codedBytes(layout.precision.exchange, counted, 1)) / counted;
        const std::int64_t full = 8 * numberFormats(layout.precision).gradientBytes();
        notes.push_back(
            say("gradients travel in {}: with the scale of each {} of them {:.4g} bits each instead of {}; what "
                "rounding loses is kept in fp32 and added to the next step's",
                wordOf(layout.precision.exchange), codeBlock, bits, full));
        notes.push_back(codesSums(layout.parallel)
                            ? say("a rank keeps 4 bytes a parameter of what it lost, and 4 of its part of the sums, "
                                  "which are rounded once more before they come back")
                        : copyCount(layout.parallel) > 1
                            ? say("a rank keeps 4 bytes a parameter of what it lost, and more than 4 of its part of "
                                  "each copy, whose sums are rounded twice more on their way between the copies")
                            : say("a rank keeps 4 bytes a parameter of what it lost; sums stay in full, as with ZeRO "
                                  "only their owner updates with them"));
    }
    if (offloadsOptimizer(layout.memory)) {
        const NumberFormats formats = numberFormats(layout.precision);
        if (offloadsParameters(layout.memory))
            notes.push_back(
                say("parameters on the host: the weights and the optimizer's state that a rank owns lie in the host's "
                    "memory; each layer's weights come to the device before every forward and backward that reads "
                    "them, {} bytes a parameter of the rank's part each time, and are dropped after; gradients go to "
                    "the host once a step, {} bytes a parameter, over the device's own link",
                    formats.weightBytes(), formats.gradientBytes()));
        else
            notes.push_back(
                say("optimizer on the host: its state lies in the host's memory and is updated there by the "
                    "processor; in a step {} bytes a parameter go there as gradients and {} come back as "
                    "weights, over the device's own link; the traffic between ranks stays the same",
                    formats.gradientBytes(), formats.weightBytes()));
    }
    if (swapsActivations(layout.memory))
        notes.push_back(say("activations on the host: the activations of a forward lie in the host's memory where at "
                            "least two actions lie between the forward and its backward, and come back while the last "
                            "of these actions computes; with recomputation, only the inputs of segments are swapped"));
    return notes;
}

}  // namespace shardlab::predict
