// SPDX-License-Identifier: Apache-2.0
// What a PyTorch program was doing when it asked for memory, as far as the stack of the call says it.
#pragma once

#include "engine/base/memory_category.h"
#include "engine/trace/interchange/pickle.h"

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace shardlab::trace {

enum class AllocationPhase : std::uint8_t {
    Unknown,      ///< no frame of the stack says it, or there is no stack
    Module,       ///< a module was made, or moved to a device or to another format
    Forward,      ///< a module was called
    Backward,     ///< the autograd engine ran
    Optimizer,    ///< an optimizer updated
    Distributed,  ///< torch.distributed prepared or did an exchange
};

/// What memory of a phase is held for once the phase is over; what it releases itself was temporary. None: unknown.
std::optional<MemoryCategory> categoryAfter(AllocationPhase phase);

/// The phases of stacks, each stack and frame of a pickle looked at once.
class AllocationPhases {
public:
    /// `frames`: a list of {"filename", "name", …}, the innermost first, which decides.
    AllocationPhase of(PlainPickle::Value frames);

private:
    std::unordered_map<std::uint32_t, AllocationPhase> known_;  ///< by number of the stack or frame
};

}  // namespace shardlab::trace
