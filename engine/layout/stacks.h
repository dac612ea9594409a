// SPDX-License-Identifier: Apache-2.0
// Software stacks: what a training program makes of a device. A stack says how it computes and communicates
// (resources/stacks/*.json), an architecture how its kernels reach a device's peaks (resources/architectures/*.json).
// Their figures are fitted to published runs by tests/bench/fit_predictions.py.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::layout {

/// The kernel that computes softmax(QKᵀ)·V.
enum class AttentionKernel : std::uint8_t {
    Materialised,  ///< scores and probabilities go through memory, unmasked
    Flash1,        ///< flash attention as of 2022, in Triton
    Flash2,        ///< flash attention as of 2023, as PyTorch has it
    Fused,         ///< the maker's own for the architecture (cuDNN)
};
inline constexpr std::size_t attentionKernels = 4;

/// How kernels of a GPU generation reach the peaks of its devices.
struct Architecture {
    std::string name;  ///< "hopper"
    std::string title;
    int tileRows = 128;  ///< of the largest tile of a product that one multiprocessor computes
    int tileColumns = 128;
    double tileOverhead = 0;  ///< inner width that takes as long as beginning and ending a tile
    double fp8Share = 1;      ///< of the peak of such products, relative to the share that 16 bits reach
    double blockShare = 1;    ///< of the peak of fp8 products with scales of blocks, relative to the share of fp8
    double rowShare = 1;      ///< the same with scales of rows, which PyTorch leaves to kernels of CUTLASS
    double fp4Share = 1;      ///< of the peak of fp4 products, relative to the share that 16 bits reach
    double memoryShare = 1;   ///< of the memory's bandwidth, in passes over memory
    double inNodeShare = 1;   ///< of the link's bandwidth, in collectives
    double betweenNodesShare = 1;
    double inNodeLatency = 0;  ///< seconds of a collective's step
    double betweenNodesLatency = 0;
    std::array<double, attentionKernels> attention{};  ///< share of the 16-bit peak, by kernel; 0: there is none
    double attentionBackward = 1;                      ///< how fast its backward is, as a share of that
    std::string source;
};

/// What a training program does with the work of a layer.
struct SoftwareStack {
    std::string name;  ///< "megatron-core"
    std::string title;
    AttentionKernel attention = AttentionKernel::Materialised;
    double passes = 1;            ///< passes over memory beside products that fusion leaves, as a share
    double kernelSeconds = 0;     ///< from one kernel to the next
    double logitBytes = 0;        ///< that the loss moves through memory for each logit
    double logitMemory = 0;       ///< bytes that the loss needs at once for each logit, with the gradient
    double splitLogitMemory = 0;  ///< logitMemory where a tensor group shares the vocabulary
    double cachedBytes = 0;       ///< for each parameter, of weights as they were first made, which its allocator keeps
    double updateBytes = 0;       ///< for each parameter that a rank updates, in passing, while it does
    double bucketElements = 0;    ///< gradients that are copied side by side to be reduced at the step's end
    double fragmentation = 0;     ///< share of its need that the allocator holds besides
    double contextBytes = 0;      ///< of driver, libraries and communicators, outside the allocator
    double overhead = 1;          ///< factor of all that a microbatch takes
    double tensorHidden = 0;      ///< share of a tensor group's collectives that products hide
    double gatherShare = 1;       ///< share of the links between nodes that ZeRO 3's gathers and scatters reach
    double ownerShare = 1;        ///< the same of ZeRO 1's and 2's sums to the owners of shards, and gathers from them
    double besideGathers = 1;     ///< factor of compute that goes on beside them
    bool blockingSends = false;   ///< a stage waits until its message has been sent
    double exchangeHidden = 0;    ///< share of the experts' exchanges that other work hides
    double routingKernels = 0;    ///< that the processor starts for a layer with experts, in a forward
    double expertKernels = 0;     ///< that the processor starts for each expert that a rank has, in a forward
    bool mergesRows = false;      ///< a token goes to the experts of another host once (DeepEP, HybridEP)
    bool splitsMessages = false;  ///< the members of a tensor group send parts of a message, which is gathered there
    bool keepsGradients = false;  ///< in the weights' format, beside their sums in fp32
    bool keepsStandIns = false;   ///< a buffer for each shape of a weight, which stands for a gradient that is summed
    bool keepsRounded = false;    ///< operands of products in 8 or 4 bits are kept in that format, not in 16 bits
    bool gathersRounded =
        false;                   ///< ZeRO 3 gathers weights in 8 bits where products round them with one scale a tensor
    bool keepsGathered = false;  ///< of split tokens, what a product took of all of them
    bool keepsUnread = false;    ///< outputs of operations that are kept (recompute.h), though no backward reads them
    bool splitsProducts = false;  ///< queries, keys and values are a product each, and so are a gate and its values
    bool eager = false;           ///< norms, turned positions and gates are PyTorch's operations, a kernel each
    bool copiesShards = false;    ///< ZeRO 3 copies weights out of what it gathers, and gradients into what it scatters
    int zero = 0;                 ///< parallel.zero of its runs, where a layout of one replica does not say it
    std::string source;
    std::vector<std::string> schedules;  ///< of several pipeline ranks, by their names (schedule/registry.h)
};

/// The stack of Shardlab's own engine: its times are those of costs.h, without a file.
inline constexpr std::string_view ownStack = "shardlab";

/// Errors as for a device (devices.h).
Result<Architecture> parseArchitecture(std::string_view name, std::string_view json);
Result<SoftwareStack> parseStack(std::string_view name, std::string_view json);

struct StackList {
    std::vector<SoftwareStack> stacks;  ///< by name
    std::vector<Architecture> architectures;
};
/// The stacks and architectures of a folder with stacks/ and architectures/. Error: one of the files is none.
Result<StackList> readStacks(const std::filesystem::path& folder);

/// The stacks and architectures that come with Shardlab, read once.
const StackList& stackList();
/// The architecture has the kernel of the stack's attention; without it the stack has no times there.
bool hasAttention(const Architecture& architecture, const SoftwareStack& stack);
/// The kernel's name in files: "flash-2".
std::string_view wordOf(AttentionKernel kernel);
/// The stack of that name, and nullptr for ownStack and unknown names.
const SoftwareStack* findStack(std::string_view name);
/// The stack that is modelled for a layout; nullptr: Shardlab's own.
const SoftwareStack* modelledStack(const Layout& layout);
/// Whether the program that is modelled for a layout has the schedule; one pipeline rank has none to wait for, and
/// Shardlab's own engine has all.
bool hasSchedule(const Layout& layout, std::string_view schedule);
const Architecture* findArchitecture(std::string_view name);
/// From now on predictions are made from these.
void useStacks(StackList list);

}  // namespace shardlab::layout
