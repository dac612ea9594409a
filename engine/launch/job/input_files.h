// SPDX-License-Identifier: Apache-2.0
// The files that a layout names and its ranks read: they must be there before any rank starts.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/fault.h"
#include "engine/layout/layout.h"

#include <string>
#include <vector>

namespace shardlab::launch {

struct ReadFile {
    std::string pointer;  ///< the layout's field
    std::string path;
    std::string what;  ///< "the text"
    std::string legal;
    bool folder = true;  ///< it may be a folder
};

/// `resumes`: the run goes on from a checkpoint, which has weights of its own.
std::vector<ReadFile> filesRead(const Layout& layout, bool resumes);

/// A fault for every field whose files are not what the layout takes them for: weights of another model
/// (trace/checkpoint/state_source.h), files that hold no tokens, no texts or tokens beyond the vocabulary
/// (layout/data), or a tokenizer that cannot be read or has more tokens than the model. Files that this machine does
/// not have are no faults, since the layout may be meant for another machine.
std::vector<Fault> misfits(const Layout& layout, bool resumes);

/// What cannot be judged of files that this machine has: weights without a config.json show their tensors alone.
std::vector<Sentence> unjudged(const Layout& layout, bool resumes);

/// Error: every field whose file this machine cannot read, or whose file is a misfit. Asked only where one of the
/// layout's hosts is this machine.
Status canReadFiles(const Layout& layout, bool resumes);

}  // namespace shardlab::launch
