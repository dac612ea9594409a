// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/launch/job/run_summary.h"

#include <string>

namespace shardlab::cli {

/// A run's figures for people: what `run` prints at its end and `info` of a file.
std::string toText(const RunSummary& summary, const std::string& file);

}  // namespace shardlab::cli
