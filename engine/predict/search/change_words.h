// SPDX-License-Identifier: Apache-2.0
// Fields of a layout, and changes of them, in the words of the Design form.
#pragma once

#include "engine/layout/fields.h"
#include "engine/predict/search/nearest_legal.h"

#include <string_view>
#include <vector>

namespace shardlab::predict {

/// What the form calls a field; of an element of a list, the list's name; the pointer itself where there is none.
Sentence labelOf(std::string_view pointer);
/// What stands behind a number of the field: "samples", and "sample" behind a 1.
std::string_view unitOf(const Field& field, double number);
/// A value of the field, which is JSON, with its unit: "2 ranks", "full", "on", or what a 0 stands for.
Sentence valueWords(const Field& field, std::string_view value);
/// "Pipeline 2 ranks instead of 3, Schedule gpipe instead of 1f1b, Sequence parallel on instead of off"; empty where
/// nothing changed.
Sentence changeWords(const std::vector<FieldChange>& changes);

}  // namespace shardlab::predict
