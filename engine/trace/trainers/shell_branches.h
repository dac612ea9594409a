// SPDX-License-Identifier: Apache-2.0
// Which branches of a shell script's ifs are taken, where their conditions can be told from the text.
#pragma once

#include "engine/base/wings.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

/// What `[ A = B ]` or `[[ A -gt B ]]` of an if says. None: it compares what the text does not know ("$1"), asks for
/// something else than words and whole numbers, or is another command.
std::optional<bool> shellCondition(std::span<const std::string> words);

/// Goes through a script's commands in their order. A branch whose condition cannot be told counts, and so does each
/// one that stands beside it.
class ShellBranches {
public:
    /// The commands that come now are run, or may be.
    bool count() const { return open_.empty() || (open_.back().outer && open_.back().holds.value_or(true)); }
    /// A reserved word at the beginning of a command: "then", "else" or "fi".
    void word(std::string_view word);
    /// A command has ended, which may be that of an "if" or "elif".
    void command(std::span<const std::string> words);

private:
    struct Branch {
        bool outer = true;          ///< what stands around it counts
        std::optional<bool> holds;  ///< its present condition
        bool chosen = false;        ///< a condition before did hold
        bool asks = true;           ///< the condition goes on until "then"
    };
    std::vector<Branch> open_;
};

}  // namespace shardlab::trace
