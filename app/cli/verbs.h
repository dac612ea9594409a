// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line, a file each. Adding a verb takes a file, a line here and a line in main.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace shardlab::cli {

constexpr int success = 0;
constexpr int failure = 1;
constexpr int wrongUse = 2;
constexpr int noCheckpoints = 3;  ///< `run` did not fail, but could take none of the checkpoints that were asked for

/// What the parsed command line asks for; returns the exit status.
using Action = std::function<int()>;

// Each function adds a subcommand to `program`, which sets `chosen` when the command line names it.
void addPlan(CLI::App& program, Action& chosen);
void addSearch(CLI::App& program, Action& chosen);
void addPartition(CLI::App& program, Action& chosen);
void addSchedule(CLI::App& program, Action& chosen);
void addRun(CLI::App& program, Action& chosen);
void addResize(CLI::App& program, Action& chosen);
void addFault(CLI::App& program, Action& chosen);
void addCheckpoint(CLI::App& program, Action& chosen);
void addExportWeights(CLI::App& program, Action& chosen);
void addProfile(CLI::App& program, Action& chosen);
void addWatch(CLI::App& program, Action& chosen);
void addListen(CLI::App& program, Action& chosen);
void addInfo(CLI::App& program, Action& chosen);
void addQuery(CLI::App& program, Action& chosen);
void addCompare(CLI::App& program, Action& chosen);
void addExport(CLI::App& program, Action& chosen);
void addImport(CLI::App& program, Action& chosen);
void addLearn(CLI::App& program, Action& chosen);
void addLayouts(CLI::App& program, Action& chosen);
void addDevices(CLI::App& program, Action& chosen);
void addDoctor(CLI::App& program, Action& chosen);
void addHelp(CLI::App& program, Action& chosen);

}  // namespace shardlab::cli
