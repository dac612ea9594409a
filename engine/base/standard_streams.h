// SPDX-License-Identifier: Apache-2.0
// The habits of a program of the shell: its output has arrived or its exit status says so, and nothing but its own end
// ends it.
#pragma once

#include "engine/base/wings.h"

#include <string_view>

namespace shardlab::base {

/// Whether this process ignores the signal, as nohup has it.
bool ignoresSignal(int number);

/// Made first in main. A write whose reader has gone is an error from then on and no signal, so that a run goes on
/// without anybody who listens to it. A standard stream that is closed stays so for whoever uses it: no file gets its
/// number.
class StandardStreams {
public:
    StandardStreams();

    /// Ends standard output; the last that main does with it. Returns `status`, or 1 where not all of the output has
    /// arrived, which is said on standard error in the name of `program`. Where its reader has gone, and SIGPIPE had
    /// its usual meaning at the start, ends the process by it, as any program ends before `head`.
    int finish(int status, std::string_view program) const;

private:
    /// Whether SIGPIPE was ignored at the start.
    bool ignoredPipe_;
};

}  // namespace shardlab::base
