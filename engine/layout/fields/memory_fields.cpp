// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fields/sections.h"

namespace shardlab::layout {

std::span<const Field> memoryFields() {
    static constexpr Field table[] = {
        {
            .pointer = "/memory/recompute",
            .label = "Recompute",
            .help = "Which activations a backward computes again instead of keeping them. selective: attention's "
                    "probabilities. full: everything but each block's input. every: everything but the inputs of "
                    "segments of some blocks. sqrt: everything but the inputs of segments as long as the root of the "
                    "stage's blocks. mlp: everything but the input of each block's second half, the feed-forward "
                    "block or the layer with experts; attention keeps what it needs. latent: the queries, keys and "
                    "values that a latent attention makes of its latents. pointwise: what the norms in front of "
                    "attention and feed-forward block make, and the activations. operations: besides, every second "
                    "matrix product of a block; what attention, exchanges and the other products make stays "
                    "(torchtitan's selective checkpointing by operation). parts: what is chosen among the parts of a "
                    "block. ZeRO 3 gathers the weights of a segment once for both.",
            .access = member<&Layout::memory, &MemorySpec::recompute>(),
        },
        {
            .pointer = "/memory/recompute_parts",
            .label = "Recompute parts",
            .help = "The parts of a block that recompute parts computes again, each without the rest. core: "
                    "attention's probabilities. heads: the queries, keys and values that a latent attention makes of "
                    "its latents. norms: what the norm in front of each half makes. activations: what the activation "
                    "between two products makes. feed-forward: everything but the input of a feed-forward block. "
                    "experts: everything but the input of a layer with experts. Recompute selective, latent, pointwise "
                    "and mlp are short for core, for heads, for norms and activations, and for feed-forward and "
                    "experts.",
            .access = member<&Layout::memory, &MemorySpec::recomputeParts>(),
        },
        {
            .pointer = "/memory/recompute_every",
            .label = "Recompute every",
            .help = "Blocks of a segment, which keeps only its input; for recompute every.",
            .unit = "blocks",
            .access = member<&Layout::memory, &MemorySpec::recomputeEvery>(),
            .limits = {1, 10000, "a segment has at least one block"},
        },
        {
            .pointer = "/memory/recompute_blocks",
            .label = "Recompute only",
            .help = "How many of the lowest blocks of each stage are computed again, as far as memory asks for it; "
                    "the blocks above them keep their activations.",
            .unit = "blocks",
            .access = member<&Layout::memory, &MemorySpec::recomputeBlocks>(),
            .limits = {0, 10000, "blocks are counted"},
            .zero = "all",
        },
        {
            .pointer = "/memory/loss_pieces",
            .label = "Loss in pieces",
            .help = "Pieces of a microbatch's tokens that the output projection and the loss take one after the other, "
                    "so that no more than one piece's logits are ever in memory. The backward makes the logits of each "
                    "piece again: once where it takes the gradients of inputs and weights together, and twice where a "
                    "schedule splits it, ZeRO 2 shards gradients, or a tensor group splits the tokens. It does not go "
                    "with ZeRO 3.",
            .unit = "pieces",
            .access = member<&Layout::memory, &MemorySpec::lossPieces>(),
            .limits = {1, 100000, "one piece is all tokens"},
        },
        {
            .pointer = "/memory/partition_activations",
            .label = "Partition inputs",
            .help = "Where segments are computed again, each rank of a tensor group keeps only its part of a segment's "
                    "input, and all gather the parts before the segment is computed again (ZeRO-R). Sequence "
                    "parallelism splits these inputs anyway.",
            .access = member<&Layout::memory, &MemorySpec::partitionActivations>(),
        },
        {
            .pointer = "/memory/activations",
            .label = "Activations",
            .help =
                "How a cnn keeps its activations for the backward (Gist). kept: as they are. lossless: 4 bits for each "
                "four numbers that are pooled, which is all that their backward needs; maps that a ReLU made and that "
                "are convolved again without their zeros, from the moment that the forward has read them, where that "
                "takes less. lossy-16, lossy-10, lossy-8: beside the 4 bits, what is convolved takes so many bits a "
                "number from the moment that the forward has read it.",
            .access = member<&Layout::memory, &MemorySpec::activations>(),
        },
        {
            .pointer = "/memory/offload",
            .label = "Offload",
            .help = "optimizer: the optimizer's state and its fp32 weights lie in the host's memory, and the processor "
                    "updates them there. Gradients go to it over the device's link as soon as they are whole, and the "
                    "updated weights come back (ZeRO-Offload). With 16 bits the device keeps 4 of AdamW's 16 bytes per "
                    "parameter. It works with the exchange allreduce and with schedules that flush; with "
                    "optimizers that keep a number for each row and column only where there are fp32 weights beside. "
                    "parameters: besides, the "
                    "weights that a rank owns lie there, and each layer's "
                    "come to the device for every forward and backward that reads them (ZeRO-Infinity). The device "
                    "keeps the gradients and room for the layers at work. It needs ZeRO 3 with the partition flat, on "
                    "one replica too.",
            .access = member<&Layout::memory, &MemorySpec::offload>(),
        },
        {
            .pointer = "/memory/swap",
            .label = "Swap",
            .help = "activations: what a forward leaves for its backward goes to the host's memory over the device's "
                    "link as soon as the forward is done, and comes back one action before the backward, where at "
                    "least two other actions lie between them (GeePS). With recomputation it is the inputs of segments "
                    "that go. It works with schedules that flush, and not where workers go on by themselves.",
            .access = member<&Layout::memory, &MemorySpec::swap>(),
        },
        {
            .pointer = "/memory/reserve",
            .label = "Reserve",
            .help = "Share of a device's memory that stays free. The runtime's context, the buffers of a communication "
                    "library and gaps between allocations need it; what is known of them of a modelled software stack "
                    "comes off besides. A layout fits where the "
                    "largest peak of a rank is within the rest. On processors the memory is this machine's, from which "
                    "the operating system, other programs and each rank's process take too.",
            .access = member<&Layout::memory, &MemorySpec::reserve>(),
            .limits = {0, 0.5,
                       "with more than half of the memory kept free, a device is better modelled as a smaller one"},
        },
    };
    return table;
}

}  // namespace shardlab::layout
