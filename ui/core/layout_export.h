// SPDX-License-Identifier: GPL-3.0-or-later
// The layout in Design as the files of another trainer, before and while they are written.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/fault.h"
#include "engine/trace/trainers/trainer_target.h"

#include <filesystem>
#include <string>
#include <vector>

namespace shardlab::ui {

class Document;

struct LayoutExport {
    std::vector<CompanionFile> files;  ///< the main file, then those beside it; none where anything is refused
    std::vector<Sentence> leftOut;     ///< what the layout says and the files do not, a sentence each
    std::vector<Fault> refused;        ///< faults of the layout itself, or else all that the trainer cannot do
    bool legal = true;                 ///< the layout itself has no faults
};

/// What the main file is called if nobody says otherwise: after the layout's file, or after its name if it has none.
std::string exportName(const Document& document, const TrainerTarget& target, bool sbatch);
/// `name`: of the main file, after which those beside it are named.
LayoutExport exportOf(const Document& document, const TrainerTarget& target, const std::string& name, bool sbatch);
/// The layout, which has no faults, with the nearest of each refusal's values with which the layout stays without
/// faults and the program refuses less than before. What else is refused stays as it is.
Layout nearestFor(const Layout& layout, const TrainerTarget& target);
/// Writes the main file as `main`, and the others beside it. They replace files of earlier exports only together with
/// the main file: where `main` is new, and a file beside it would be replaced, nothing is written.
Status writeExport(const LayoutExport& made, const std::filesystem::path& main);

}  // namespace shardlab::ui
