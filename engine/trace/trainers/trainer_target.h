// SPDX-License-Identifier: Apache-2.0
// Other programs that train, and what their configurations can say of a layout: written for them, and read from them.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/fault.h"
#include "engine/layout/layout.h"
#include "engine/trace/checkpoint/config_layout.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::trace {

struct TrainerOptions {
    std::string stem = "layout";  ///< companion files are named after it: "stem.schedule.csv"
    bool sbatch = false;          ///< as a script for Slurm's sbatch, with the configuration beside it or in it
    std::string file{};           ///< what the configuration is called; empty: named after the stem
};

/// A file that the main one names, or that says what it has no words for.
struct CompanionFile {
    std::string name;  ///< lies beside the main file
    std::string text;
};

struct ExportedLayout {
    std::string text;
    std::vector<CompanionFile> companions;
    std::vector<Sentence> leftOut;  ///< what the layout says and the program takes from elsewhere, a sentence each
};

struct TrainerTarget {
    std::string_view name;         ///< "megatron", as --for names it
    std::string_view program;      ///< "Megatron-LM", as people call it
    std::string_view description;  ///< what is written
    /// What the name of the file ends with by default, ".megatron.sh"; one without a dot makes a name that Python
    /// imports.
    std::string_view extension;
    /// Pointers of the fields that its configuration says; "/model" stands for all fields below it.
    std::span<const std::string_view> says;
    /// Pointers of the fields that people give the program in another way; they are left out with a note.
    std::span<const std::string_view> leaves;
    bool sharesKeyHeads = false;  ///< several tensor ranks can share a head of keys
    /// Adds a fault for each value of a field of `says` that the program does not have.
    void (*refuse)(const Layout& layout, std::vector<Fault>& faults) = nullptr;
    /// The layout has no faults, and nothing of it was refused. `leftOut` goes into the text where it can hold
    /// comments.
    ExportedLayout (*write)(const Layout& layout, const TrainerOptions& options,
                            const std::vector<Sentence>& leftOut) = nullptr;
    /// What starts the written file on a node, in Bash, as sbatchCommand() has it. nullptr: `write` makes the whole
    /// script itself.
    std::string (*start)(const Layout& layout, const std::string& file) = nullptr;
    /// The text is a configuration of this program; nullptr where there is no way back.
    bool (*recognises)(std::string_view text) = nullptr;
    /// The layout without its last checks (layoutFromFile). Error: the text is none of the program's after all.
    Result<ConfigLayout> (*read)(const std::filesystem::path& file, std::string_view text) = nullptr;
};

std::span<const TrainerTarget> trainerTargets();
/// nullptr where there is no such target.
const TrainerTarget* findTrainerTarget(std::string_view name);
/// What the main file is called by default: "mine.megatron.sh", "mine.megatron.sbatch".
std::string exportedFileName(const TrainerTarget& target, std::string_view stem, bool sbatch);
/// Those of a main file that is called `name`; a configuration beside it is called otherwise.
TrainerOptions optionsFor(const TrainerTarget& target, std::string_view name, bool sbatch);

/// The layout, which has no faults, as the program's own configuration. Everything that the program cannot do is
/// refused at once, at its field, with the nearest that it can do.
tl::expected<ExportedLayout, std::vector<Fault>> exportLayout(const Layout& layout, const TrainerTarget& target,
                                                              const TrainerOptions& options = {});

/// Bytes of a file that are read: no configuration is longer, and a log tells its arguments at its beginning.
inline constexpr std::int64_t mostTrainerText = std::int64_t{16} << 20;

/// The content is one that layoutFromFile() knows.
bool isTrainerFile(const std::filesystem::path& file);
/// The same of the first mostTrainerText bytes of a file.
bool isTrainerText(std::string_view text);

/// A layout without faults of a file that another program reads: a config.json of Hugging Face, or a configuration of
/// a target that has a way back. The content says which it is. Errors: the file cannot be read, is none of them, or
/// says what no layout may have.
Result<ConfigLayout> layoutFromFile(const std::filesystem::path& file);
/// The same of the first mostTrainerText bytes of `file`, which is not read again: a pipe gives its text once.
Result<ConfigLayout> layoutFromText(const std::filesystem::path& file, std::string_view text);

// The targets, a source each.
TrainerTarget megatronTarget();
TrainerTarget megatronBridgeTarget();
TrainerTarget nemoTarget();
TrainerTarget torchtitanTarget();
TrainerTarget torchtitan03Target();
TrainerTarget deepspeedTarget();
TrainerTarget accelerateTarget();

}  // namespace shardlab::trace
