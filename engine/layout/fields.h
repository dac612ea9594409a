// SPDX-License-Identifier: Apache-2.0
// One table of every field of a layout: the JSON reader and writer, the Design form and the checks of single fields are
// made from it. A new field is one entry in the file of fields/ that its section has.
#pragma once

#include "engine/layout/layout.h"

#include <limits>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace shardlab::layout {

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

/// An enum of kinds.h: its value is a place in its list of words.
struct WordField {
    std::span<const std::string_view> words;
    std::size_t (*chosen)(const Layout&);
    void (*choose)(Layout&, std::size_t);

    std::string_view word(const Layout& layout) const { return words[chosen(layout)]; }
    /// False, and no change, where `word` is none of the field's words.
    bool setWord(Layout& layout, std::string_view word) const;
};

/// A WordSet of an enum of kinds.h: each value is a place in its list of words.
struct WordSetField {
    std::span<const std::string_view> words;
    bool (*has)(const Layout&, std::size_t);
    void (*set)(Layout&, std::size_t, bool);

    /// In the order of `words`.
    std::vector<std::string_view> chosen(const Layout& layout) const;
};

using FieldAccess = std::variant<IntegerField, LongField, NumberField, BooleanField, TextField, WordField, WordSetField,
                                 IntegerListField, NumberListField, TextListField, HostListField, PaceField>;

/// Legal numbers, both ends included; in a list they hold for each element.
struct FieldLimits {
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    std::string_view reason = {};  ///< why the limits are these
};

struct Field {
    std::string_view pointer;    ///< "/model/layers"
    std::string_view label;      ///< "Layers"
    std::string_view help;       ///< full sentences: what the field does
    std::string_view unit = {};  ///< unit of the number, or of each in a list: "samples", "MB"; empty: there is none
    FieldAccess access;
    /// Words of known methods that are not built yet, comma separated: refused, but not called unknown.
    std::string_view planned = {};
    FieldLimits limits = {};
    /// What 0 stands for where it is no number like the others, in a word or two: "off", "no limit". Forms show it in
    /// place of the 0.
    std::string_view zero = {};
    /// What an empty text or list stands for, in a word or two: "random weights". Forms show it in an empty line.
    std::string_view empty = {};
};

/// In the order of the layout file; the first part of the pointer is the section.
std::span<const Field> fields();
/// nullptr where there is no such field.
const Field* findField(std::string_view pointer);
/// False for the fields inside cluster.pace while the layout has none; their access must not be called then.
bool isPresent(const Field& field, const Layout& layout);
/// What an access function refers to, in a layout that is only read.
template <class T>
const T& read(T& (*access)(Layout&), const Layout& layout) {
    return access(const_cast<Layout&>(layout));  // access returns a member and changes nothing
}

}  // namespace shardlab::layout
