// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fields/sections.h"

#include "engine/base/most_ranks.h"

namespace shardlab::layout {

std::span<const Field> parallelFields() {
    static constexpr Field table[] = {
        {
            .pointer = "/parallel/data",
            .label = "Data",
            .help = "Replicas of the model; each trains on its share of the batch.",
            .unit = "replicas",
            .access = member<&Layout::parallel, &ParallelSpec::data>(),
            .limits = {1, mostRanks, degreeReason},
        },
        {
            .pointer = "/parallel/pipeline",
            .label = "Pipeline",
            .help = "Ranks that the layers are spread over.",
            .unit = "ranks",
            .access = member<&Layout::parallel, &ParallelSpec::pipeline>(),
            .limits = {1, mostRanks, degreeReason},
        },
        {
            .pointer = "/parallel/tensor",
            .label = "Tensor",
            .help = "Ranks that divide each layer's matrices among themselves, by whole heads and columns; where these "
                    "do not divide evenly, the last rank holds one of the larger shares.",
            .unit = "ranks",
            .access = member<&Layout::parallel, &ParallelSpec::tensor>(),
            .limits = {1, mostRanks, degreeReason},
        },
        {
            .pointer = "/parallel/expert",
            .label = "Expert",
            .help =
                "So many ranks spread the experts of a model over themselves and send each other tokens: neighbours "
                "in the context group and along data, and where experts have a tensor degree of their own, the "
                "parts of a tensor group too. The number divides experts. It adds no ranks: the product of the "
                "other degrees is the number of devices.",
            .unit = "ranks",
            .access = member<&Layout::parallel, &ParallelSpec::expert>(),
            .limits = {1, mostRanks, degreeReason},
        },
        {
            .pointer = "/parallel/context",
            .label = "Context",
            .help =
                "Ranks that divide the tokens of each sample among themselves. In attention, where each token looks "
                "at all before it, they meet as the context method says.",
            .unit = "ranks",
            .access = member<&Layout::parallel, &ParallelSpec::context>(),
            .limits = {1, mostRanks, degreeReason},
        },
        {
            .pointer = "/parallel/context_method",
            .label = "Context method",
            .help =
                "How the ranks of a context group compute attention. ring: keys and values travel round them, while "
                "each works on the block that it has. ulysses: an all-to-all gives each rank all tokens of a part "
                "of the heads, and another gives the outputs back; tensor and context degree together divide the "
                "heads.",
            .access = member<&Layout::parallel, &ParallelSpec::contextKind>(),
        },
        {
            .pointer = "/parallel/sequence",
            .label = "Sequence parallel",
            .help = "Inside a tensor group, norms and dropout work on parts of the sequence.",
            .access = member<&Layout::parallel, &ParallelSpec::sequence>(),
        },
        {
            .pointer = "/parallel/partition",
            .label = "Partition",
            .help = "How ZeRO 3 divides the parameters. flat: every replica has a part of every layer, and the parts "
                    "are gathered when the layer is used (FSDP). layers: each layer belongs to one replica, which "
                    "sends it to the others when it is used, and to which they send its gradients.",
            .access = member<&Layout::parallel, &ParallelSpec::partition>(),
        },
        {
            .pointer = "/parallel/zero",
            .label = "ZeRO",
            .help = "What is divided over the data axis: with 1 the optimizer state, with 2 the gradients too, with 3 "
                    "the parameters too.",
            .access = member<&Layout::parallel, &ParallelSpec::zero>(),
            .limits = {0, 3, "ZeRO has the stages 0 to 3"},
        },
        {
            .pointer = "/parallel/shard",
            .label = "Shard",
            .help = "So many neighbouring data ranks share one copy of what ZeRO divides. With fewer there are "
                    "several copies (HSDP): each rank gathers and scatters within its copy, and copies sum their "
                    "gradients once a step. As many as a host has keep most of the traffic on the host.",
            .unit = "ranks",
            .access = member<&Layout::parallel, &ParallelSpec::shard>(),
            .limits = {0, mostRanks, degreeReason},
            .zero = "all",
        },
        {
            .pointer = "/parallel/bucket",
            .label = "Bucket",
            .help = "Megabytes of gradients that are reduced together, while the backward goes on. With 0 all "
                    "gradients of a stage are reduced after its backward. ZeRO 2 and 3 reduce layer by layer.",
            .unit = "MB",
            .access = member<&Layout::parallel, &ParallelSpec::bucket>(),
            .limits = {0, 1e6, "a bucket holds at least one layer, and 0 stands for one reduction after the backward"},
            .zero = "all at once",
        },
        {
            .pointer = "/parallel/all_reduce",
            .label = "All-reduce",
            .help =
                "How gradients are averaged. backend: by the all-reduce of the communication library. ring: in "
                "2(n−1) hops round the replicas, each of which is an event. With ZeRO gradients are scattered in the "
                "first half of them, and weights gathered in the second; copies are summed by the library.",
            .access = member<&Layout::parallel, &ParallelSpec::allReduce>(),
        },
        {
            .pointer = "/parallel/exchange",
            .label = "Exchange",
            .help =
                "What replicas exchange, and with whom. allreduce: all average their gradients, and each updates its "
                "weights. server: the first replica gathers the gradients, updates, and sends the weights back. "
                "async-server: the first replica does nothing else, and takes the gradient of one worker at a time, "
                "when it comes. easgd: each data rank, with its context group, trains by itself, and in each step one "
                "of them and a common centre pull each other. hogwild: all write the same weights in the memory of "
                "one host, without a lock.",
            .access = member<&Layout::parallel, &ParallelSpec::exchange>(),
        },
        {
            .pointer = "/parallel/expert_tensor",
            .label = "Expert tensor",
            .help = "So many neighbours of a tensor group cut each expert among themselves (MoE parallel folding). "
                    "The parts of the group then hold different experts; with 1 each expert is whole on one rank "
                    "while all else is cut. Tensor divided by this number divides expert.",
            .unit = "ranks",
            .access = member<&Layout::parallel, &ParallelSpec::expertTensor>(),
            .limits = {0, mostRanks, degreeReason},
            .zero = "all",
        },
    };
    return table;
}

}  // namespace shardlab::layout
