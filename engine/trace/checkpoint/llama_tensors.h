// SPDX-License-Identifier: Apache-2.0
// Where transformers keeps each weight of a llama or one of its relatives. There a projection is a matrix [outputs,
// inputs] of its own; here [inputs, outputs], and what reads the same input is one matrix.
#pragma once

#include "engine/layout/layout.h"
#include "engine/trace/checkpoint/llama_storage.h"

#include <string>
#include <vector>

namespace shardlab::trace {

constexpr const char* outputWeight = "lm_head.weight";

/// So many outputs of a projection: `first`, and every `step`-th after it.
struct OutputRun {
    std::size_t projection = 0;
    int first = 0;
    int count = 0;
    int step = 1;
};

/// One of our weights, as transformers has it.
struct LlamaTensor {
    struct Projection {
        std::string name;
        int outputs = 0;
    };
    std::string name;
    std::vector<int> shape;  ///< of a product [inputs, outputs], of its bias [outputs]
    std::vector<Projection> projections;
    /// The tensors whose outputs are our columns, in order; empty: the same tensor by another name.
    std::vector<OutputRun> columns;
    /// Theirs holds so many experts' tensors in a stack, of which this is number `part`; 0: it is no stack. Those of
    /// one stack follow each other.
    int parts = 0;
    int part = 0;
    bool byInputs = false;  ///< theirs is [inputs, outputs], as ours
    bool copy = false;      ///< theirs is one more copy of a tensor that stands here by another name

    std::size_t inputs() const { return shape.size() == 1 ? 1 : static_cast<std::size_t>(shape[0]); }
    std::size_t outputs() const { return static_cast<std::size_t>(shape.back()); }
    std::vector<int> theirShape(const Projection& projection) const {
        if (columns.empty()) return shape;
        if (parts > 0) return shape.size() == 1 ? std::vector{parts, shape[0]} : std::vector{parts, shape[0], shape[1]};
        return shape.size() == 1 ? std::vector{projection.outputs} : std::vector{projection.outputs, shape[0]};
    }
};

/// "….bias" of "….weight".
std::string biasOf(const std::string& weight);
/// All of a model's, in the order of transformers' names; as a Llama has them, where `storage` does not say otherwise.
std::vector<LlamaTensor> llamaTensors(const ModelSpec& model, const LlamaStorage& storage = {});

/// function(place in ours, projection of theirs, place in it) for each element.
template <class Function>
void eachElement(const LlamaTensor& tensor, const Function& function) {
    std::size_t column = 0;
    const std::size_t inputs = tensor.inputs(), columns = tensor.outputs();
    for (const OutputRun& run : tensor.columns) {
        const auto outputs = static_cast<std::size_t>(tensor.projections[run.projection].outputs);
        for (int i = 0; i < run.count; ++i, ++column) {
            const auto row = static_cast<std::size_t>(run.first + i * run.step);
            for (std::size_t input = 0; input < inputs; ++input)
                function(input * columns + column, run.projection,
                         tensor.byInputs ? input * outputs + row : row * inputs + input);
        }
    }
}

}  // namespace shardlab::trace
