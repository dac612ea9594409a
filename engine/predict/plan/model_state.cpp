// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/model_state.h"

#include <numeric>

#include "engine/layout/factored_numbers.h"
#include "engine/layout/coded_exchange.h"
#include "engine/layout/exchange.h"
#include "engine/layout/formats.h"
#include "engine/layout/moment_blocks.h"
#include "engine/layout/stacks.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/predict/plan/expert_bytes.h"
#include "engine/predict/plan/fp8_costs.h"
#include "engine/predict/plan/stack_memory.h"

namespace shardlab::predict {
namespace {

/// What the optimizer remembers, in numbers of fp32Bytes; of moments in 8 bits the codes are kinds, and their scales
/// besides.
struct RememberedNumbers {
    std::vector<std::int64_t> kinds;   ///< each by itself in checkpoints
    std::vector<std::int64_t> spread;  ///< of each, what belongs to experts of which other ranks hold others
    std::int64_t besides = 0;          ///< not in them
    /// The bytes of a number of each kind as it lies on the rank; checkpoints hold numbers of fp32.
    std::int64_t bytesEach = fp32Bytes;
};

/// The optimizer's numbers for the parameters of a stage that `replica` updates, `updated` in number.
RememberedNumbers remembered(const Layout& layout, const StageShape& shape, const TensorShare& share, int replica,
                             std::int64_t updated) {
    const std::int64_t spread = spreadParameters(layout.model, shape, share);
    const OptimizerTraits& optimizer = traits(layout.optimizer.kind);
    RememberedNumbers numbers;
    numbers.kinds.assign(static_cast<std::size_t>(optimizer.moments), updated);
    numbers.spread.assign(static_cast<std::size_t>(optimizer.moments), spread);
    if (optimizer.codesMoments) {
        numbers.besides = optimizer.moments * momentBlocksOf(layout, shape, share, replica);
        numbers.bytesEach = 1;
    }
    if (optimizer.factored) {
        const std::vector<FlatUnit> units = stageUnits(layout.model, layout.parallel, shape, share);
        const std::vector<FactoredNumbers> factored = factoredUnits(layout.model, shape, share);
        FactoredNumbers sum, ofExperts;
        for (std::size_t i = 0; i < units.size(); ++i) {
            if (units[i].owner < 0 || units[i].owner == numberInCopy(layout.parallel, replica)) sum += factored[i];
            if (units[i].spread > 1) ofExperts += factored[i];
        }
        numbers = {{sum.rows, sum.columns, sum.elements},
                   {ofExperts.rows, ofExperts.columns, ofExperts.elements},
                   optimizer.totals * sum.tensors};
    }
    if (keepsVelocity(layout.optimizer)) {
        numbers.kinds.push_back(updated);
        numbers.spread.push_back(spread);
    }
    return numbers;
}

/// With `masters` weights in fp32Bytes.
std::int64_t optimizerBytes(const RememberedNumbers& numbers, std::int64_t masters) {
    return numbers.bytesEach * std::accumulate(numbers.kinds.begin(), numbers.kinds.end(), std::int64_t{0}) +
           fp32Bytes * (numbers.besides + masters);
}

}  // namespace

int fullestReplica(const ParallelSpec& parallel) {
    return parallel.exchange == Exchange::AllReduce ? replicaCount(parallel) - 1 : 0;
}

MemoryBytes stateBytes(const Layout& layout, const StageShape& shape, const TensorShare& share, int replica) {
    return stateBytes(layout, shape, share, replica, updatedParameters(layout, shape, share, replica));
}

MemoryBytes stateBytes(const Layout& layout, const StageShape& shape, const TensorShare& share, int replica,
                       std::int64_t updated) {
    const NumberFormats formats = numberFormats(layout.precision);
    const int zero = layout.parallel.zero;
    const std::int64_t whole = stageParameters(layout.model, shape, share);
    MemoryBytes bytes{};
    const bool elastic = layout.parallel.exchange == Exchange::Elastic;
    const bool shares = layout.parallel.exchange == Exchange::Hogwild;
    // The centre lies with replica 0, and everybody has room for what the other side has: of the weights that are
    // updated. So do the weights that Hogwild's workers share, beside each one's copy.
    const int versions = shares && replica == 0 ? 2 : 1, member = numberInCopy(layout.parallel, replica);
    const bool central = elastic && replica == member;  // of the context group of replica 0, each has a centre
    const std::int64_t exchanged = elastic ? formats.updatedWeightBytes() * whole : 0;
    std::int64_t& buffers = bytes[static_cast<std::size_t>(MemoryCategory::Buffers)];
    buffers = tallyBytes(layout.model, shape.firstLayer, shape.layers) + exchanged +
              (shares && replica == 0 ? hogwildPageBytes(layout.parallel) : 0) + fp8Bytes(layout, shape, share);
    if (const SoftwareStack* stack = modelledStack(layout))
        buffers += stackMemory(layout, *stack, shape, share, whole, updated).held;
    bytes[static_cast<std::size_t>(MemoryCategory::Parameters)] =
        offloadsParameters(layout.memory)
            ? 0
            : formats.weightBytes() * (zero >= 3 ? updated : whole) * versions + (central ? exchanged : 0);
    const std::int64_t remainders =
        codesExchange(layout)
            ? remainderNumbers(layout.parallel,
                               reductionUnits(layout.parallel, stageUnits(layout.model, layout.parallel, shape, share),
                                              formats.gradientBytes()),
                               replica)
            : 0;
    bytes[static_cast<std::size_t>(MemoryCategory::Gradients)] =
        formats.gradientBytes() * (zero >= 2 ? updated : whole) + fp32Bytes * remainders;
    const bool atServer = updatesAtServer(layout.parallel);
    if (atServer && replica > 0) return bytes;  // it neither updates nor writes checkpoints
    const RememberedNumbers numbers = remembered(layout, shape, share, replica, updated);
    if (!offloadsOptimizer(layout.memory))
        bytes[static_cast<std::size_t>(MemoryCategory::Optimizer)] =
            optimizerBytes(numbers, formats.master ? updated : 0);
    if (layout.checkpoint.every == 0) return bytes;
    // Where checkpoints are taken by themselves, a rank copies in fp32Bytes what is its own and its part of what all
    // replicas hold; of weights the master copy, where there is one.
    // Copies of what ZeRO divides share the writing of each part.
    const std::int64_t writers = atServer ? 1 : replicaCount(layout.parallel), copies = copyCount(layout.parallel);
    const auto among = [](std::int64_t count, std::int64_t parts) { return (count + parts - 1) / parts; };
    const auto part = [&](std::int64_t all, std::int64_t spread) {
        return among(all - spread, writers) + (spread > 0 ? among(spread, expertReplicaCount(layout.parallel)) : 0);
    };
    const std::int64_t biases = choiceBiases(layout.model, shape), scales = fp8StateNumbers(layout, shape, share);
    if (elastic) {  // each replica writes its own weights, and the first the centre and what all have
        if (member > 0) return bytes;
        const std::int64_t own = whole + std::accumulate(numbers.kinds.begin(), numbers.kinds.end(), std::int64_t{0});
        buffers += fp32Bytes * (own + (central ? whole + biases + scales : 0));
        return bytes;
    }
    std::int64_t copied = zero >= (formats.master ? 1 : 3)
                              ? among(updated + biases, copies)
                              : part(whole + biases, spreadParameters(layout.model, shape, share));
    for (std::size_t i = 0; i < numbers.kinds.size(); ++i)
        copied += zero >= 1 ? among(numbers.kinds[i], copies) : part(numbers.kinds[i], numbers.spread[i]);
    copied += zero >= 1 ? among(scales, copies) : part(scales, 0);
    buffers += fp32Bytes * (copied + remainders);
    return bytes;
}

MemoryBytes hostBytes(const Layout& layout, const std::vector<int>& stages, const TensorShare& share, int replica) {
    MemoryBytes bytes{};
    if (!offloadsOptimizer(layout.memory)) return bytes;
    if (replica < 0) replica = fullestReplica(layout.parallel);
    const NumberFormats formats = numberFormats(layout.precision);
    const std::vector<StageShape> shapes = stageShapes(layout);
    for (const int stage : stages) {
        const StageShape& shape = shapes[static_cast<std::size_t>(stage)];
        const std::int64_t updated = updatedParameters(layout, shape, share, replica);
        const RememberedNumbers numbers = remembered(layout, shape, share, replica, updated);
        bytes[static_cast<std::size_t>(MemoryCategory::Parameters)] += formats.weightBytes() * updated;
        bytes[static_cast<std::size_t>(MemoryCategory::Gradients)] += formats.gradientBytes() * updated;
        bytes[static_cast<std::size_t>(MemoryCategory::Optimizer)] +=
            optimizerBytes(numbers, formats.master ? updated : 0);
    }
    return bytes;
}

}  // namespace shardlab::predict
