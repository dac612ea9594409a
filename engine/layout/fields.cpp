// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fields.h"

#include "engine/layout/fields/sections.h"

#include <algorithm>

namespace shardlab::layout {
namespace {

std::vector<Field> everyField() {
    std::vector<Field> all{
        {.pointer = "/name",
         .label = "Name",
         .help = "The name of the layout in lists and run files.",
         .access = member<&Layout::name>()},
    };
    for (const std::span<const Field> section :
         {modelFields(), expertFields(), dataFields(), clusterFields(), parallelFields(), scheduleFields(),
          batchFields(), precisionFields(), optimizerFields(), memoryFields(), runFields(), checkpointFields()})
        all.insert(all.end(), section.begin(), section.end());
    return all;
}

}  // namespace

bool WordField::setWord(Layout& layout, std::string_view word) const {
    const auto found = std::ranges::find(words, word);
    if (found == words.end()) return false;
    choose(layout, static_cast<std::size_t>(found - words.begin()));
    return true;
}

std::vector<std::string_view> WordSetField::chosen(const Layout& layout) const {
    std::vector<std::string_view> all;
    for (std::size_t i = 0; i < words.size(); ++i)
        if (has(layout, i)) all.push_back(words[i]);
    return all;
}

std::span<const Field> fields() {
    static const std::vector<Field> all = everyField();
    return all;
}

const Field* findField(std::string_view pointer) {
    const auto found = std::ranges::find(fields(), pointer, &Field::pointer);
    return found == fields().end() ? nullptr : &*found;
}

bool isPresent(const Field& field, const Layout& layout) {
    return layout.cluster.pace.has_value() || !field.pointer.starts_with("/cluster/pace/");
}

}  // namespace shardlab::layout
