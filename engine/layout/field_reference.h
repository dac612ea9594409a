// SPDX-License-Identifier: Apache-2.0
// What the table of fields says of itself to others: to editors and validators as a JSON Schema, to people as rows.
#pragma once

#include "engine/layout/fields.h"
#include "engine/layout/schedule_method.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace shardlab::layout {

/// What stands for a phrase in another language: for "a whole number", for the help of a field, and for a sentence
/// with places, "{} from {} to {}", which the answer has too.
using Translation = std::function<std::string(std::string_view)>;
/// The phrase itself.
std::string inEnglish(std::string_view phrase);

/// A field in words.
struct FieldRow {
    std::string pointer;    ///< "/model/layers"
    std::string legal;      ///< "a whole number from 1 to 4096, layers", "default, learned or rotary"
    std::string byDefault;  ///< as JSON: "4"; that of a field of cluster.pace holds where there is a pace
    std::string help;       ///< full sentences: what the field does
};
/// Every field, in the order of a layout file.
std::vector<FieldRow> fieldRows(std::span<const ScheduleMethod> schedules, const Translation& say = inEnglish);

/// A JSON Schema (draft 2020-12) of layout files, as JSON text. It knows keys, types, words and the limits of single
/// fields: what it refuses is a fault, and a layout that it accepts may have faults that only check() finds. Devices
/// and stacks may be the user's own, so that their names are examples.
std::string layoutSchema(std::span<const ScheduleMethod> schedules);

/// The page of the manual that lists every field, as Markdown.
std::string fieldsPage(std::span<const ScheduleMethod> schedules, const Translation& say = inEnglish);

}  // namespace shardlab::layout
