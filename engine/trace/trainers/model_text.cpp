// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/model_text.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/field_effect.h"
#include "engine/layout/layout_json.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/checkpoint/weights_config.h"

#include <fmt/format.h>

namespace shardlab::trace {

std::string modelText(const Layout& layout, std::string_view program) {
    std::string text = fmt::format("What {} does not say, by shardlab {}\n\nThe model\n", program, SHARDLAB_VERSION);
    const auto model = layoutToJson(layout)["model"];
    for (const auto& [key, value] : model.items())
        if (withoutEffect("/model/" + key, layout, scheduleMethods()).empty())
            text += fmt::format("  {}: {}\n", key, value.dump());
    const BlockParts parts = blockParts(layout.model);
    text += fmt::format("  Its blocks have {} and {} positions, {}; the output is {}.\n",
                        parts.rmsNorm ? "RMSNorm" : "layer norms",
                        parts.rotary  ? "rotary"
                        : parts.alibi ? "alibi"
                                      : "learned",
                        wordOf(parts.activation), parts.tied ? "the token embedding" : "a matrix of its own");
    return text;
}

void addModelFiles(ExportedLayout& made, const Layout& layout, const std::string& stem, std::string text,
                   const std::vector<Sentence>& leftOut) {
    for (const std::vector<Sentence>& lines : {leftOut, made.leftOut})
        for (const Sentence& line : lines) text += "  Left out: " + line.english() + "\n";
    made.companions.push_back({stem + ".model.txt", std::move(text)});
    if (hasPublishedBlocks(layout.model)) made.companions.push_back({stem + ".config.json", writeConfig(layout.model)});
}

}  // namespace shardlab::trace
