// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/json_text.h"

#include "engine/base/library_words.h"
#include "engine/layout/fault_list.h"

#include <algorithm>

namespace shardlab::layout {
namespace {

using nlohmann::json;
constexpr std::size_t deepest = 64;

/// Builds the tree from the parser's events.
class Builder : public nlohmann::json_sax<json> {
public:
    explicit Builder(std::string_view text) : text_(text) {}

    JsonText take() { return {std::move(root_), std::move(duplicates_)}; }
    const Error& error() const { return error_; }

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(number_integer_t value) override { return put(value); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, const string_t&) override { return put(value); }
    bool string(string_t& value) override { return put(std::move(value)); }
    bool binary(binary_t&) override { return false; }  // not reached from text

    bool start_object(std::size_t) override { return open(json::object()); }
    bool start_array(std::size_t) override { return open(json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& value) override {
        Level& level = levels_.back();
        level.key = std::move(value);
        level.twice = level.node && level.node->contains(level.key);
        if (level.twice && duplicates_.size() <= mostFaults)
            duplicates_.push_back({childPointer(level.pointer, level.key), say("the key stands twice"),
                                   say("only one value can count, and it is unclear which was meant"),
                                   say("each key once")});
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& exception) override {
        const bool number = dynamic_cast<const json::out_of_range*>(&exception) != nullptr;
        error_ = {number ? say("a number is too large") : say("this is no JSON"), place(position),
                  number ? Sentence() : jsonReason(exception.what()), ""};
        return false;
    }

private:
    struct Level {
        json* node = nullptr;  ///< nullptr inside the value of a repeated key: read and forgotten
        std::string pointer;
        std::string key;
        bool twice = false;
    };

    /// Stores a value where the parser stands; nullptr where it is not kept.
    json* store(json value) {
        if (levels_.empty()) return &(root_ = std::move(value));
        const Level& level = levels_.back();
        if (level.node == nullptr || level.twice) return nullptr;
        if (level.node->is_array()) {
            level.node->push_back(std::move(value));
            return &level.node->back();
        }
        return &((*level.node)[level.key] = std::move(value));
    }

    bool put(json value) {
        store(std::move(value));
        return true;
    }

    bool open(json container) {
        if (levels_.size() == deepest) {
            error_ = {say("this is no layout"), "", say("it nests deeper than 64 levels"), ""};
            return false;
        }
        std::string pointer;
        if (!levels_.empty()) {
            const Level& level = levels_.back();
            const bool list = level.node != nullptr && level.node->is_array();
            pointer = childPointer(level.pointer, list ? std::to_string(level.node->size()) : level.key);
        }
        json* node = store(std::move(container));
        levels_.push_back({node, std::move(pointer), {}, false});
        return true;
    }

    bool close() {
        levels_.pop_back();
        return true;
    }

    /// `position`: number of bytes read, the faulty one included.
    Sentence place(std::size_t position) const {
        const std::string_view before = text_.substr(0, std::min(position > 0 ? position - 1 : 0, text_.size()));
        const auto line = std::ranges::count(before, '\n') + 1;
        const std::size_t lineBegin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
        return say("line {}, column {}", line, before.size() - lineBegin + 1);
    }

    std::string_view text_;
    json root_;
    std::vector<Level> levels_;
    std::vector<Fault> duplicates_;
    Error error_;
};

}  // namespace

std::string childPointer(std::string_view pointer, std::string_view key) {
    std::string result(pointer);
    result += '/';
    for (char c : key) {
        if (c == '~') result += "~0";
        else if (c == '/') result += "~1";
        else result += c;
    }
    return result;
}

Result<JsonText> parseJsonText(std::string_view text) {
    Builder builder(text);
    if (!json::sax_parse(text.begin(), text.end(), &builder)) return fail(builder.error());
    return builder.take();
}

}  // namespace shardlab::layout
