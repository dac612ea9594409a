// SPDX-License-Identifier: Apache-2.0
// Values as bytes, each field named once for both directions. A value that goes over a link has a function beside it,
//
//     void fields(auto& archive, FieldsOf<Hello> auto& hello) {
//         archive.frame("hello");
//         archive("rank", hello.rank);
//         archive("level", hello.level, Level::Error);
//     }
//
// and encode(hello) writes its fields in this order, decode<Hello>(bytes) reads them. Numbers and enums are
// little-endian and as wide as their type, a bool is one byte, a text has its length as a varint before it. What is
// read may be damaged: the first field that cannot be read, or has no legal value, makes the error.
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/result.h"

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace shardlab::base {

/// A `Value` that is read, or a constant one that is written.
template <class T, class Value>
concept FieldsOf = std::same_as<std::remove_const_t<T>, Value>;

template <class T>
concept FixedField = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class FieldWriter {
public:
    static constexpr bool reads = false;
    explicit FieldWriter(Bytes& out) : out_(out) {}

    void frame(const char*) {}
    void operator()(const char*, const FixedField auto& value) { out_.fixed(value); }
    void operator()(const char*, std::string_view text) { out_.text(text); }
    template <FixedField T>
    void operator()(const char* field, const T& value, T /*last*/) {
        (*this)(field, value);
    }
    void operator()(const char* field, const FixedField auto& value, auto /*isLegal*/, const char* /*legal*/) {
        (*this)(field, value);
    }
    bool version(const char* field, std::uint32_t value, std::uint32_t /*known*/) {
        (*this)(field, value);
        return true;
    }
    void varint(const char*, std::integral auto value) { out_.varint(static_cast<std::uint64_t>(value)); }
    void check(const char*, bool, const char*) {}
    void text(const char*, std::string_view text, std::size_t most) { out_.text(text.substr(0, most)); }
    void rest(const char*, std::span<const std::byte> bytes) { out_.bytes(bytes); }

    void list(const char*, const auto& values) {
        out_.varint(values.size());
        for (const auto& value : values) fields(*this, value);
    }
    void list(const char*, const auto& values, std::uint32_t /*most*/) {
        out_.fixed(static_cast<std::uint32_t>(values.size()));
        for (const auto& value : values) fields(*this, value);
    }

private:
    ByteWriter out_;
};

class FieldReader {
public:
    static constexpr bool reads = true;
    explicit FieldReader(std::span<const std::byte> bytes) : in_(bytes) {}

    /// What the value is called in errors.
    void frame(const char* name) { frame_ = name; }

    template <FixedField T>
    void operator()(const char* field, T& value) {
        if constexpr (std::same_as<T, bool>) value = in_.fixed<std::uint8_t>() != 0;
        else value = in_.fixed<T>();
        expect(field);
    }
    void operator()(const char* field, std::string& text) {
        text = in_.text();
        expect(field);
    }
    /// The view is into the bytes that are read.
    void operator()(const char* field, std::string_view& text) {
        const auto bytes = in_.bytes(in_.varint());
        text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
        expect(field);
    }
    /// An enum whose values are 0 to `last`.
    template <class T>
    requires std::is_enum_v<T>
    void operator()(const char* field, T& value, T last) {
        (*this)(field, value);
        if (value > last) refuseValue(field, value, "0 to " + std::to_string(static_cast<int>(last)));
    }
    /// A number for which isLegal(number) holds; `legal` says in words which these are.
    template <FixedField T>
    void operator()(const char* field, T& value, auto isLegal, const char* legal) {
        (*this)(field, value);
        if (!isLegal(value)) refuseValue(field, value, legal);
    }
    /// The number of the protocol that the fields behind it belong to. False where it is another than `known`: what
    /// follows is then not known here, and is left unread without an error.
    bool version(const char* field, std::uint32_t& value, std::uint32_t known) {
        (*this)(field, value);
        if (value != known) static_cast<void>(in_.bytes(in_.left()));
        return value == known;
    }
    template <std::integral T>
    void varint(const char* field, T& value) {
        value = static_cast<T>(in_.varint());
        expect(field);
    }
    /// A text that is written with at most `most` bytes; a longer one is read all the same.
    void text(const char* field, auto& text, std::size_t /*most*/) { (*this)(field, text); }
    /// All bytes that are left; the span is into the bytes that are read.
    void rest(const char* field, std::span<const std::byte>& bytes) {
        bytes = in_.bytes(in_.left());
        expect(field);
    }

    /// A varint, then so many values; a map's are pairs, each key once.
    void list(const char* field, auto& values) {
        const std::uint64_t count = in_.varint();
        expect(field);
        readValues(field, values, count);
        if (ok() && values.size() != count) refuse(field, "it names something twice", "");
    }
    /// A u32 of at most `most`, then so many values.
    void list(const char* field, auto& values, std::uint32_t most) {
        std::uint32_t count = 0;
        (*this)(field, count);
        if (count > most) refuseValue(field, count, "0 to " + std::to_string(most));
        else readValues(field, values, count);
    }

    /// What holds between fields that have been read.
    void check(const char* field, bool holds, const char* why) {
        if (!holds) refuse(field, why, "");
    }
    bool ok() const { return !error_; }
    /// What is wrong with the bytes; bytes behind the last field are wrong too.
    std::optional<Error> error();

private:
    void refuse(const char* field, const std::string& why, const std::string& legal);
    void refuseValue(const char* field, FixedField auto value, const std::string& legal) {
        if constexpr (std::is_enum_v<decltype(value)>) refuseValue(field, static_cast<int>(value), legal);
        else refuse(field, "it is " + std::to_string(value), legal);
    }
    void expect(const char* field) {
        if (!in_.ok()) [[unlikely]]
            refuse(field, "the bytes end before it does", "");
    }
    /// A map's pairs without the const of their keys.
    template <class Values>
    struct ElementOf {
        using type = typename Values::value_type;
    };
    template <class Values>
    requires requires { typename Values::mapped_type; }
    struct ElementOf<Values> {
        using type = std::pair<typename Values::key_type, typename Values::mapped_type>;
    };
    template <class Values>
    void readValues(const char* field, Values& values, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count && ok(); ++i) {
            typename ElementOf<Values>::type value{};
            fields(*this, value);
            values.insert(values.end(), std::move(value));
            if (!ok()) error_->where = say("{} {}, {}", field, i + 1, error_->where);
        }
    }

    ByteReader in_;
    const char* frame_ = "value";
    std::optional<Error> error_;
};

/// Appends the fields of `value`, or `value` itself where it is a number or a text.
void encode(const auto& value, Bytes& out) {
    FieldWriter writer(out);
    if constexpr (requires { fields(writer, value); }) fields(writer, value);
    else writer("value", value);
}
Bytes encode(const auto& value) {
    Bytes out;
    encode(value, out);
    return out;
}

/// The inverse of encode(). Error: `bytes` are not exactly one such value; names the field.
template <class Value>
Result<Value> decode(std::span<const std::byte> bytes) {
    FieldReader reader(bytes);
    Value value{};
    if constexpr (requires { fields(reader, value); }) fields(reader, value);
    else reader("value", value);
    if (auto error = reader.error()) return fail(std::move(*error));
    return value;
}

}  // namespace shardlab::base
