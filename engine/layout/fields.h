// SPDX-License-Identifier: Apache-2.0
// One table of every field of a layout: the JSON reader and writer, the Design form and the documents are made from it.
// A new field is one line in fields.cpp.
#pragma once

#include "engine/layout/layout.h"

#include <limits>
#include <span>
#include <string_view>
#include <variant>

namespace shardlab {

using IntegerField = int& (*)(Layout&);
using LongField = std::int64_t& (*)(Layout&);
using NumberField = double& (*)(Layout&);
using BooleanField = bool& (*)(Layout&);
using TextField = std::string& (*)(Layout&);
using IntegerListField = std::vector<int>& (*)(Layout&);
using TextListField = std::vector<std::string>& (*)(Layout&);
using NumberListField = std::vector<double>& (*)(Layout&);
using HostListField = std::vector<HostSpec>& (*)(Layout&);
/// cluster.pace as a whole: there or not. The fields inside it exist only while it is there, see isPresent.
using PaceField = std::optional<PaceSpec>& (*)(Layout&);

using FieldAccess = std::variant<IntegerField, LongField, NumberField, BooleanField, TextField, IntegerListField,
                                 NumberListField, TextListField, HostListField, PaceField>;

struct Field {
    std::string_view pointer;  ///< "/model/layers"
    std::string_view label;    ///< "Layers"
    std::string_view help;     ///< one sentence: what it does
    std::string_view unit;     ///< of the number, or of each in a list: "samples", "MB"; empty: a bare number, or none
    FieldAccess access;
    /// For texts with a fixed set of words: the words, comma separated ("gpt,mlp"); schedule kinds and device presets
    /// come from their registries and are empty here.
    std::string_view choices = {};
    /// Words that are known methods but not built yet, comma separated: refused, but not called unknown.
    std::string_view planned = {};
    /// Legal numbers, both ends included; of each element of a list.
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    /// Why the limits are these.
    std::string_view reason = {};
};

/// In the order of the layout file; the first part of the pointer is the section.
std::span<const Field> fields();
/// nullptr where there is no such field.
const Field* findField(std::string_view pointer);
/// False for the fields inside cluster.pace while the layout has none; their access must not be called then.
bool isPresent(const Field& field, const Layout& layout);
/// The reference of an access function for a layout that is only read.
template <class T>
const T& read(T& (*access)(Layout&), const Layout& layout) {
    return access(const_cast<Layout&>(layout));  // access returns a member and changes nothing
}

}  // namespace shardlab
