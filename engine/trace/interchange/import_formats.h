// SPDX-License-Identifier: Apache-2.0
// The reader of each import format, for the table of them.
#pragma once

#include "engine/trace/interchange/foreign_trace.h"

namespace shardlab::trace {

Status readKineto(const std::filesystem::path& file, ForeignTrace& trace, const ShareWatcher& watcher);
Status readChrome(const std::filesystem::path& file, ForeignTrace& trace, const ShareWatcher& watcher);
Status readMemory(const std::filesystem::path& file, ForeignTrace& trace, const ShareWatcher& watcher);
Status readLog(const std::filesystem::path& file, ForeignTrace& trace, const ShareWatcher& watcher);
Status readNsight(const std::filesystem::path& file, ForeignTrace& trace, const ShareWatcher& watcher);

}  // namespace shardlab::trace
