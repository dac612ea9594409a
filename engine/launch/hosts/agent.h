// SPDX-License-Identifier: Apache-2.0
// The agent is the program that runs a command on another host: ssh, where nothing else is said. It is always a list of
// words, never a text for a shell.
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::launch {

class Agent {
public:
    /// Words are separated by blanks; single or double quotes hold a word with blanks together. `{host}` in a word
    /// stands for the host; where no word has it, the host follows the last one. One word comes last, a line for a
    /// shell. An empty text means ssh that never asks. Errors: a quote that is not closed, a control character, which
    /// could hide what follows it.
    static Result<Agent> parse(std::string_view text);
    /// Whether the text names no program of its own, and means ssh.
    static bool isDefault(std::string_view text);

    /// The program and its arguments that run `line` on `host`.
    std::vector<std::string> command(const std::string& host, const std::string& line) const;
    /// A shell script that does the same while the file `mark` is on that host, called as Open MPI calls it: [-OPTION…]
    /// HOST WORD… A daemon that comes when the job is over would make the job's folder anew.
    std::string script(const std::filesystem::path& mark) const;
    /// The program as an error names it: "ssh".
    const std::string& program() const { return words_.front(); }

private:
    std::vector<std::string> words_;
};

/// The agent within a Slurm allocation.
inline constexpr std::string_view slurmAgent = "srun --overlap --nodes=1 --ntasks=1 --nodelist={host} sh -c";

/// The word as a shell reads it back: 'it'\''s'.
std::string shellQuoted(std::string_view word);

}  // namespace shardlab::launch
