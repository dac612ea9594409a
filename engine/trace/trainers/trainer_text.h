// SPDX-License-Identifier: Apache-2.0
// Numbers and comments as several of the targets write and read them.
#pragma once

#include "engine/base/parse_text.h"
#include "engine/layout/fault.h"
#include "engine/layout/layout.h"
#include "engine/layout/suggest.h"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

// The kinds that other trainers have too. Whatever is added is refused, and needs no line in this room.
inline constexpr OptimizerKind knownAdamW = *kindOf<OptimizerKind>("adamw"), knownSgd = *kindOf<OptimizerKind>("sgd");
inline constexpr ModelKind knownGpt = *kindOf<ModelKind>("gpt"), knownLlama = *kindOf<ModelKind>("llama"),
                           knownGptMoe = *kindOf<ModelKind>("gpt-moe"), knownLlamaMoe = *kindOf<ModelKind>("llama-moe");
inline constexpr GateMethod knownSwitch = *kindOf<GateMethod>("switch"),
                            softmaxTopK = *kindOf<GateMethod>("softmax-top-k"),
                            topKSoftmax = *kindOf<GateMethod>("top-k-softmax"),
                            sigmoidTopK = *kindOf<GateMethod>("sigmoid-top-k"),
                            sigmoidInGroups = *kindOf<GateMethod>("sigmoid-in-groups");
inline bool isSigmoid(GateMethod gate) { return gate == sigmoidTopK || gate == sigmoidInGroups; }
/// The gate takes a token's highest scores, without noise, draws or groups that add up.
inline bool takesHighest(GateMethod gate) {
    return gate == knownSwitch || gate == softmaxTopK || gate == topKSoftmax || isSigmoid(gate);
}
/// Experts of a token.
inline int choicesOf(const MoeSpec& experts) { return traits(experts.gate).takesTopK ? experts.topK : 1; }

/// The fewest digits that are read as the same number: "0.003", "1e-05".
std::string numberText(double value);
/// As numberText(), in a form that TOML and YAML take for a number with a fraction: "1.0", "1.0e-05", "inf".
std::string realText(double value);
/// The text in one line: control characters become blanks.
std::string inComment(std::string text);
/// In double quotes. A control character becomes a backslash, `escape` and its number of so many hexadecimal `digits`.
std::string doubleQuoted(std::string_view text, char escape, int digits);
// Values in Python.
inline std::string_view pythonBool(bool value) { return value ? "True" : "False"; }
std::string pythonString(std::string_view text);
/// A name that Python can import: what no name may have becomes _.
std::string pythonName(std::string_view stem);
/// The whole text is a finite number; it may have a plus.
std::optional<double> readNumber(std::string_view text);
/// A product or quotient of decimal numbers as they were written before: rounded to 14 digits.
double rounded(double value);

/// What a program can do instead of what it refuses: said, and as values that the field alone can have, the nearest
/// first.
struct Instead {
    template <std::convertible_to<std::string_view> Value>
    Instead(const Value& value) : told(value), values{std::string(value)} {}
    Instead(std::initializer_list<std::string> several) : told(alternatives(several)), values(several) {}
    Instead(Sentence said, std::vector<std::string> these = {}) : told(std::move(said)), values(std::move(these)) {}
    Sentence told;
    std::vector<std::string> values;
};
/// Adds the fault of a field whose value `program` does not have.
void refuseField(std::vector<Fault>& faults, std::string_view program, std::string pointer, const Sentence& what,
                 const Sentence& why, const Instead& instead);

/// Hosts as many as `nodes` with `devices` each, named localhost where there is one.
std::vector<HostSpec> evenHosts(int nodes, int devices);
/// Adds a fault where the hosts have not all the same number of devices, as launchers want.
void refuseUnevenHosts(const Layout& layout, std::string_view program, std::vector<Fault>& faults);
/// Adds a fault where replicas exchange anything but gradients, in full, by an all-reduce of the backend's own.
void refuseExchanges(const Layout& layout, std::string_view program, std::vector<Fault>& faults);
/// Adds a fault where a tensor group divides the tokens between the blocks too.
void refuseSequence(const ParallelSpec& parallel, std::string_view program, std::vector<Fault>& faults);
/// Adds a fault where sgd has both momentum and weight decay.
void refuseDecayWithMomentum(const OptimizerSpec& optimizer, std::string_view program, std::vector<Fault>& faults);
/// Adds a fault for each of sinks, a cap of scores and one of logits, where the model has them.
void refuseScores(const ModelSpec& model, std::string_view program, std::vector<Fault>& faults);
/// Adds a fault for each degree that does not divide what its ranks share (layout/tensor_extents.h).
void refuseUnevenShares(const Layout& layout, std::string_view program, bool sharesKeyHeads,
                        std::vector<Fault>& faults);
/// Gives the layout, whose file is one of a program that trains on GPUs, the times of that program's stack, on a device
/// that has the layout's products. Returns a note that says so; empty: no stack has times of fp32.
Sentence modelTimes(Layout& layout, std::string_view stack);
/// Replicas that fill a node of eight devices, two at least, where a file leaves open how many share their state.
/// `inner` is how many ranks a replica has.
int unsaidReplicas(std::int64_t inner);
/// Each pipeline rank computes in the same order as with the schedule `kind`, whatever the layout calls its own.
bool runsAs(const Layout& layout, std::string_view kind);
/// Bytes of the gradient of a weight.
double gradientBytes(const PrecisionSpec& precision);
/// One width for all layers, or none where they differ.
std::optional<int> evenWidth(const ModelSpec& model);
/// Widths of the layers that have experts, or of those that have none.
std::set<int> feedForwardWidths(const ModelSpec& model, bool withExperts);
/// Parts of a block as the model's kind has them where that is what is meant, so that a layout says no more than it
/// has to.
void chooseParts(ModelSpec& model);

}  // namespace shardlab::trace
