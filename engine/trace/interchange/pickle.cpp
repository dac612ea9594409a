// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/pickle.h"

#include "engine/base/visible_text.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardlab::trace {
namespace {

using PickledJson = nlohmann::json;

/// Instructions that run code of Python or refer to what lies outside the pickle, as the pickletools module names them.
constexpr std::array<std::pair<unsigned char, const char*>, 17> refusedInstructions{{
    {'c', "GLOBAL"},
    {0x93, "STACK_GLOBAL"},
    {'R', "REDUCE"},
    {'b', "BUILD"},
    {'i', "INST"},
    {'o', "OBJ"},
    {0x81, "NEWOBJ"},
    {0x92, "NEWOBJ_EX"},
    {'P', "PERSID"},
    {'Q', "BINPERSID"},
    {0x82, "EXT1"},
    {0x83, "EXT2"},
    {0x84, "EXT4"},
    {0x97, "NEXT_BUFFER"},
    {0x8f, "EMPTY_SET"},
    {0x91, "FROZENSET"},
    {0x96, "BYTEARRAY8"},
}};

constexpr std::size_t shownName = 80;  ///< bytes of a name in an error

class PickleMachine {
public:
    PickleMachine(std::string_view bytes, const std::string& where, const PickleLimits& limits)
        : bytes_(bytes), where_(where), limits_(limits) {}

    /// The number of the one value that it ends with.
    Result<std::uint32_t> run() {
        bool stopped = false;
        while (!stopped) {
            begin_ = at_;
            const auto instruction = fixed<std::uint8_t>();
            if (!instruction) return fail(cutOff());
            if (*instruction == '.') {
                stopped = true;
            } else if (const Status done = step(*instruction); !done) {
                return fail(done.error());
            }
        }
        if (stack_.size() != 1 || !marks_.empty()) return fail(wrong(say("it ends with other than one value")));
        return stack_.back();
    }
    Result<PickledJson> json(std::uint32_t number, int depth = 0);
    std::vector<Pickled> takeValues() { return std::move(values_); }

private:
    Error wrong(const Sentence& why) const {
        return {say("cannot read the pickle"), where_, say("byte {}: {}", begin_, why),
                say("Legal is a pickle of protocol 2 to 5 that holds dicts, lists, texts and numbers")};
    }
    Error cutOff() const { return wrong(say("it is cut off")); }

    template <class T>
    std::optional<T> fixed() {
        if (bytes_.size() - at_ < sizeof(T)) return std::nullopt;
        T value;
        std::memcpy(&value, bytes_.data() + at_, sizeof value);
        at_ += sizeof value;
        return value;
    }

    Status add(Pickled value) {
        if (values_.size() > limits_.values) return fail(wrong(say("more than {} values", limits_.values)));
        values_.push_back(std::move(value));
        stack_.push_back(static_cast<std::uint32_t>(values_.size() - 1));
        return {};
    }
    Status addPlain(Pickled::Kind kind) { return add({.kind = kind}); }
    Status addWhole(std::int64_t whole) { return add({.kind = Pickled::Kind::Whole, .whole = whole}); }

    template <class T>
    Status whole() {
        const auto value = fixed<T>();
        return value ? addWhole(*value) : Status(fail(cutOff()));
    }
    /// A whole number of `Size` bytes' length, least byte first, in two's complement.
    template <class Size>
    Status longNumber() {
        const auto size = fixed<Size>();
        if (!size || *size > bytes_.size() - at_) return fail(cutOff());
        if (*size > sizeof(std::int64_t)) return fail(wrong(say("a whole number of more than 64 bits")));
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < *size; ++i)
            value |= std::uint64_t{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * i);
        at_ += *size;
        if (*size > 0 && *size < 8 && (value >> (8 * *size - 1)) != 0) value |= ~std::uint64_t{0} << (8 * *size);
        return addWhole(static_cast<std::int64_t>(value));
    }
    template <class Size>
    Status text() {
        const auto size = fixed<Size>();
        if (!size || *size > bytes_.size() - at_) return fail(cutOff());
        Pickled value{.kind = Pickled::Kind::Text};
        value.text = bytes_.substr(at_, static_cast<std::size_t>(*size));
        at_ += static_cast<std::size_t>(*size);
        return add(std::move(value));
    }
    Status real() {
        auto bits = fixed<std::uint64_t>();  // Big-endian, as no other number of a pickle is.
        if (!bits) return fail(cutOff());
        return add({.kind = Pickled::Kind::Real, .real = std::bit_cast<double>(__builtin_bswap64(*bits))});
    }

    /// Values on top of the stack that no mark hides.
    std::size_t free() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }
    Error empty() const { return wrong(say("an instruction takes a value that is not there")); }

    /// Takes what lies above the last mark, and the mark.
    std::optional<std::vector<std::uint32_t>> aboveMark() {
        if (marks_.empty()) return std::nullopt;
        const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
        std::vector<std::uint32_t> above(first, stack_.end());
        stack_.erase(first, stack_.end());
        marks_.pop_back();
        return above;
    }
    Status gather(Pickled::Kind kind) {
        auto above = aboveMark();
        if (!above) return fail(empty());
        if (kind == Pickled::Kind::Dict && above->size() % 2 != 0) return fail(wrong(say("a key has no value")));
        Pickled value{.kind = kind};
        value.holds = std::move(*above);
        return add(std::move(value));
    }
    Status tuple(std::size_t size) {
        if (free() < size) return fail(empty());
        Pickled value{.kind = Pickled::Kind::List};
        value.holds.assign(stack_.end() - static_cast<std::ptrdiff_t>(size), stack_.end());
        stack_.resize(stack_.size() - size);
        return add(std::move(value));
    }
    /// Adds to the list or dict on top of the stack.
    Status extend(Pickled::Kind kind, const std::vector<std::uint32_t>& more) {
        if (free() < 1) return fail(empty());
        Pickled& target = values_[stack_.back()];
        if (target.kind != kind) return fail(wrong(say("an instruction adds to what is no list or dict")));
        if (kind == Pickled::Kind::Dict && more.size() % 2 != 0) return fail(wrong(say("a key has no value")));
        target.holds.insert(target.holds.end(), more.begin(), more.end());
        return {};
    }
    Status extendByMark(Pickled::Kind kind) {
        const auto above = aboveMark();
        return above ? extend(kind, *above) : Status(fail(empty()));
    }
    Status extendByTop(Pickled::Kind kind, std::size_t count) {
        if (free() < count + 1) return fail(empty());
        const std::vector<std::uint32_t> top(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
        stack_.resize(stack_.size() - count);
        return extend(kind, top);
    }

    template <class Number>
    Status remember() {
        const auto number = fixed<Number>();
        if (!number) return fail(cutOff());
        if (free() < 1) return fail(empty());
        memory_[*number] = stack_.back();
        return {};
    }
    Status rememberNext() {
        if (free() < 1) return fail(empty());
        memory_[static_cast<std::uint32_t>(memory_.size())] = stack_.back();
        return {};
    }
    template <class Number>
    Status recall() {
        const auto number = fixed<Number>();
        if (!number) return fail(cutOff());
        const auto found = memory_.find(*number);
        if (found == memory_.end()) return fail(wrong(say("it names a value again that it never had")));
        stack_.push_back(found->second);
        return {};
    }

    Status protocol() {
        const auto number = fixed<std::uint8_t>();
        if (!number) return fail(cutOff());
        if (*number >= 2 && *number <= 5) return {};
        return fail(wrong(say("protocol {} is not read", *number)));
    }
    Status skipFrame() { return fixed<std::uint64_t>() ? Status() : Status(fail(cutOff())); }

    Status step(std::uint8_t instruction);
    Error refuse(std::uint8_t instruction) const;
    Result<std::string> key(const Pickled& value) const;

    std::string_view bytes_;
    const std::string& where_;
    const PickleLimits& limits_;
    std::size_t at_ = 0, begin_ = 0;
    std::vector<Pickled> values_{Pickled{}};  ///< the first, None, is what a missing value is
    std::vector<std::uint32_t> stack_;
    std::vector<std::size_t> marks_;
    std::unordered_map<std::uint32_t, std::uint32_t> memory_;
    std::size_t made_ = 0, madeText_ = 0;  ///< of what run() returns
};

Status PickleMachine::step(std::uint8_t instruction) {
    using enum Pickled::Kind;
    switch (instruction) {
    case 0x80: return protocol();
    case 0x95: return skipFrame();
    case 'N': return addPlain(None);
    case 0x88: return addPlain(True);
    case 0x89: return addPlain(False);
    case 'J': return whole<std::int32_t>();
    case 'K': return whole<std::uint8_t>();
    case 'M': return whole<std::uint16_t>();
    case 0x8a: return longNumber<std::uint8_t>();
    case 0x8b: return longNumber<std::uint32_t>();
    case 'G': return real();
    case 0x8c: return text<std::uint8_t>();
    case 'X': return text<std::uint32_t>();
    case 0x8d: return text<std::uint64_t>();
    case 'U': return text<std::uint8_t>();
    case 'T': return text<std::uint32_t>();
    case 'C': return text<std::uint8_t>();
    case 'B': return text<std::uint32_t>();
    case 0x8e: return text<std::uint64_t>();
    case ']': return addPlain(List);
    case ')': return addPlain(List);
    case '}': return addPlain(Dict);
    case '(': marks_.push_back(stack_.size()); return {};
    case 'l': return gather(List);
    case 't': return gather(List);
    case 'd': return gather(Dict);
    case 0x85: return tuple(1);
    case 0x86: return tuple(2);
    case 0x87: return tuple(3);
    case 'a': return extendByTop(List, 1);
    case 'e': return extendByMark(List);
    case 's': return extendByTop(Dict, 2);
    case 'u': return extendByMark(Dict);
    case 'q': return remember<std::uint8_t>();
    case 'r': return remember<std::uint32_t>();
    case 0x94: return rememberNext();
    case 'h': return recall<std::uint8_t>();
    case 'j': return recall<std::uint32_t>();
    default: return fail(refuse(instruction));
    }
}

Error PickleMachine::refuse(std::uint8_t instruction) const {
    for (const auto& [code, name] : refusedInstructions) {
        if (code != instruction) continue;
        std::string named;
        if (instruction == 'c') {
            const std::string_view rest = bytes_.substr(at_);
            const std::size_t module = rest.find('\n');
            const std::size_t end = module == rest.npos ? rest.npos : rest.find('\n', module + 1);
            if (end < shownName)  // npos is not
                named = fmt::format("{}.{}", rest.substr(0, module), rest.substr(module + 1, end - module - 1));
        } else if (instruction == 0x93 && free() >= 2) {
            const std::string_view module = values_[stack_[stack_.size() - 2]].text, what = values_[stack_.back()].text;
            if (module.size() + what.size() < shownName) named = fmt::format("{}.{}", module, what);
        }
        return wrong(
            named.empty()
                ? say("it has the instruction {}, which makes more than plain values; nothing of it was run", name)
                : say("it has the instruction {} of {}, which makes more than plain values; nothing of it was run",
                      name, visible(named)));
    }
    return wrong(say("instruction 0x{:02x} is not read", instruction));
}

Result<std::string> PickleMachine::key(const Pickled& value) const {
    if (value.kind == Pickled::Kind::Text) return std::string(value.text);
    if (value.kind == Pickled::Kind::Whole) return std::to_string(value.whole);
    return fail(wrong(say("a key of a dict is neither a text nor a whole number")));
}

Result<PickledJson> PickleMachine::json(std::uint32_t number, int depth) {
    const Pickled& value = values_[number];
    madeText_ += value.text.size();
    if (++made_ > limits_.values) return fail(wrong(say("more than {} values", limits_.values)));
    if (madeText_ > limits_.text) return fail(wrong(say("more than {} bytes of text", limits_.text)));
    if (depth > limits_.depth) return fail(wrong(say("values lie more than {} deep", limits_.depth)));
    switch (value.kind) {
    case Pickled::Kind::None: return PickledJson(nullptr);
    case Pickled::Kind::False: return PickledJson(false);
    case Pickled::Kind::True: return PickledJson(true);
    case Pickled::Kind::Whole: return PickledJson(value.whole);
    case Pickled::Kind::Real: return PickledJson(value.real);
    case Pickled::Kind::Text: return PickledJson(std::string(value.text));
    case Pickled::Kind::List: {
        PickledJson list = PickledJson::array();
        for (const std::uint32_t each : value.holds) {
            auto made = json(each, depth + 1);
            if (!made) return made;
            list.push_back(std::move(*made));
        }
        return list;
    }
    case Pickled::Kind::Dict: break;
    }
    PickledJson dict = PickledJson::object();
    for (std::size_t i = 0; i + 1 < value.holds.size(); i += 2) {
        auto name = key(values_[value.holds[i]]);
        if (!name) return fail(name.error());
        madeText_ += name->size();
        auto made = json(value.holds[i + 1], depth + 1);
        if (!made) return made;
        dict[std::move(*name)] = std::move(*made);
    }
    return dict;
}

}  // namespace

Result<nlohmann::json> readPickle(std::string_view bytes, const std::string& where, const PickleLimits& limits) {
    PickleMachine machine(bytes, where, limits);
    const auto root = machine.run();
    return root ? machine.json(*root) : Result<nlohmann::json>(fail(root.error()));
}

Result<PlainPickle> PlainPickle::read(std::string_view bytes, const std::string& where, const PickleLimits& limits) {
    PickleMachine machine(bytes, where, limits);
    const auto root = machine.run();
    if (!root) return fail(root.error());
    PlainPickle pickle;
    pickle.values_ = machine.takeValues();
    pickle.root_ = *root;
    return pickle;
}

std::size_t PlainPickle::Value::size() const {
    const Pickled& value = (*values_)[number_];
    return value.kind == Pickled::Kind::List ? value.holds.size() : 0;
}

PlainPickle::Value PlainPickle::Value::operator[](std::size_t index) const {
    return {*values_, index < size() ? (*values_)[number_].holds[index] : 0};
}

PlainPickle::Value PlainPickle::Value::operator[](std::string_view key) const {
    const Pickled& dict = (*values_)[number_];
    if (dict.kind != Pickled::Kind::Dict) return {*values_, 0};
    for (std::size_t i = dict.holds.size() / 2; i-- > 0;) {  // the last of two equal keys is Python's
        const Pickled& name = (*values_)[dict.holds[2 * i]];
        if (name.kind == Pickled::Kind::Text && name.text == key) return {*values_, dict.holds[2 * i + 1]};
    }
    return {*values_, 0};
}

std::optional<std::int64_t> PlainPickle::Value::whole() const {
    const Pickled& value = (*values_)[number_];
    return value.kind == Pickled::Kind::Whole ? std::optional(value.whole) : std::nullopt;
}

std::string_view PlainPickle::Value::text() const { return (*values_)[number_].text; }

}  // namespace shardlab::trace
