// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line, a file each. Adding a verb takes a file, a line here and a line in main.cpp.
#pragma once

#include "app/cli/verb.h"

namespace shardlab::cli {

constexpr int success = 0;
constexpr int failure = 1;
constexpr int wrongUse = 2;
constexpr int noCheckpoints = 3;  ///< `run` did not fail, but could take none of the checkpoints that were asked for

// Each function adds its verb to the command line.
void addPlan(CommandLine& line);
void addSearch(CommandLine& line);
void addValidate(CommandLine& line);
void addPartition(CommandLine& line);
void addSchedule(CommandLine& line);
void addSamples(CommandLine& line);
void addRun(CommandLine& line);
void addResize(CommandLine& line);
void addFault(CommandLine& line);
void addCheckpoint(CommandLine& line);
void addExportWeights(CommandLine& line);
void addProfile(CommandLine& line);
void addWatch(CommandLine& line);
void addListen(CommandLine& line);
void addInfo(CommandLine& line);
void addQuery(CommandLine& line);
void addCompare(CommandLine& line);
void addExport(CommandLine& line);
void addImport(CommandLine& line);
void addLearn(CommandLine& line);
void addLayouts(CommandLine& line);
void addDevices(CommandLine& line);
void addDoctor(CommandLine& line);
void addHelp(CommandLine& line);

}  // namespace shardlab::cli
