// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/trace_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <nlohmann/json.hpp>

namespace shardlab {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longestText = 4096;        ///< of a name or an argument; the rest is left out
constexpr std::size_t mostArguments = 64;
constexpr std::size_t deepestFact = 3;

/// What the parser meets, as items. Depth counts the containers that are open.
class Handler final : public nlohmann::json_sax<Json> {
public:
    explicit Handler(const TraceReader& reader) : reader_(reader) {}

    bool null() override { return value({"null", false}); }
    bool boolean(bool is) override { return value({is ? "true" : "false", false}); }
    bool number_integer(number_integer_t number) override { return value({std::to_string(number), true}); }
    bool number_unsigned(number_unsigned_t number) override { return value({std::to_string(number), true}); }
    bool number_float(number_float_t, const string_t& written) override { return value({written, true}); }
    bool string(string_t& text) override {
        if (text.size() > longestText) text.resize(longestText);
        return value({std::move(text), false});
    }
    bool binary(binary_t&) override { return true; }

    bool start_object(std::size_t) override {
        if (depth_ == 0) form_ = Form::Object;
        ++depth_;
        if (items_ != 0 && depth_ == items_ + 1) item_ = {};
        if (items_ == 0 && depth_ > 1) facts_.push_back(std::exchange(key_, {}));
        return true;
    }
    bool end_object() override {
        const bool wasItem = items_ != 0 && depth_ == items_ + 1;
        --depth_;
        if (items_ == 0 && !facts_.empty()) facts_.pop_back();
        if (wasItem) status_ = reader_.item(item_);
        return status_.has_value();
    }
    bool start_array(std::size_t) override {
        if (depth_ == 0) form_ = Form::List;
        const bool events = depth_ == 0 || (form_ == Form::Object && depth_ == 1 && key_ == "traceEvents");
        ++depth_;
        if (events && items_ == 0) {
            items_ = depth_;
            seen_ = true;
        } else if (items_ == 0) {
            facts_.push_back(std::exchange(key_, {}));
            ++lists_;
        } else if (depth_ == items_ + 1) {
            reader_.ignored("entries of traceEvents that are no objects");
        }
        return true;
    }
    bool end_array() override {
        if (items_ == depth_) items_ = 0;
        else if (items_ == 0) {
            if (!facts_.empty()) facts_.pop_back();
            --lists_;
        }
        --depth_;
        return true;
    }
    bool key(string_t& name) override {
        key_ = std::move(name);
        return true;
    }
    bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception& why) override {
        at_ = at;
        why_ = why.what();
        // "[json.exception.parse_error.101] parse error at line 1, column 2: what": the last part is for people.
        if (const auto colon = why_.find(": "); colon != std::string::npos) why_.erase(0, colon + 2);
        return false;
    }

    bool found() const { return seen_; }
    /// The list alone may lack its end: then it ends between two entries.
    bool openList() const { return form_ == Form::List && depth_ == 1; }
    Status status() const { return status_; }
    std::size_t at() const { return at_; }
    const std::string& why() const { return why_; }

private:
    enum class Form : std::uint8_t { None, Object, List };

    bool value(TraceValue value) {
        if (items_ == 0) {
            fact(value);
        } else if (depth_ == items_) {
            reader_.ignored("entries of traceEvents that are no objects");
        } else if (depth_ == items_ + 1) {
            field(value);
        } else if (depth_ == items_ + 2 && item_.arguments.size() < mostArguments) {
            item_.arguments.emplace_back(std::exchange(key_, {}), std::move(value));
        }
        return true;
    }

    void fact(const TraceValue& value) {
        if (depth_ == 0 || lists_ > 0 || facts_.size() > deepestFact) return;
        std::string path;
        for (const std::string& part : facts_) path += part + '/';
        reader_.fact(path + key_, value);
    }

    void field(TraceValue& value) {
        if (key_ == "ph") item_.phase = std::move(value.text);
        else if (key_ == "cat") item_.category = std::move(value.text);
        else if (key_ == "name") item_.name = std::move(value.text);
        else if (key_ == "pid") item_.process = std::move(value.text);
        else if (key_ == "tid") item_.thread = std::move(value.text);
        else if (key_ == "ts") item_.begin = nanoseconds(value.text);
        else if (key_ == "dur") item_.duration = nanoseconds(value.text);
    }

    const TraceReader& reader_;
    Form form_ = Form::None;
    std::size_t depth_ = 0;
    std::size_t items_ = 0;  ///< depth within traceEvents; 0: not in it
    std::size_t lists_ = 0;  ///< open lists among the facts
    bool seen_ = false;
    std::string key_;
    std::vector<std::string> facts_;
    TraceItem item_;
    Status status_;
    std::size_t at_ = 0;
    std::string why_;
};

}  // namespace

const TraceValue* TraceItem::argument(std::string_view key) const {
    const auto found = std::ranges::find(arguments, key, [](const auto& argument) { return std::string_view(argument.first); });
    return found == arguments.end() ? nullptr : &found->second;
}

std::string TraceItem::text(std::string_view key) const {
    const TraceValue* value = argument(key);
    return value ? value->text : std::string();
}

std::optional<double> TraceItem::number(std::string_view key) const {
    const TraceValue* value = argument(key);
    if (!value) return std::nullopt;
    double number = 0;
    const auto [end, error] = std::from_chars(value->text.data(), value->text.data() + value->text.size(), number);
    if (error != std::errc{} || end != value->text.data() + value->text.size()) return std::nullopt;
    return number;
}

std::optional<std::int64_t> nanoseconds(std::string_view microseconds) {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    const std::size_t point = microseconds.find('.');
    const std::string_view whole = microseconds.substr(0, point);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
    const bool plain = error == std::errc{} && end == whole.data() + whole.size() && value < most / 1000 && value > -most / 1000 &&
                       microseconds.find_first_not_of("0123456789", point == std::string_view::npos ? microseconds.size() : point + 1) ==
                           std::string_view::npos;
    if (!plain) {  // 1e3 and the like
        double number = 0;
        const auto [last, wrong] = std::from_chars(microseconds.data(), microseconds.data() + microseconds.size(), number);
        if (wrong != std::errc{} || last != microseconds.data() + microseconds.size() || !(std::abs(number) < 4e15)) return std::nullopt;
        return std::llround(number * 1000);
    }
    std::int64_t part = 0;
    if (point != std::string_view::npos)
        for (std::size_t digit = 0; digit < 3; ++digit)
            part = part * 10 + (point + 1 + digit < microseconds.size() ? microseconds[point + 1 + digit] - '0' : 0);
    return value * 1000 + (whole.starts_with('-') ? -part : part);
}

Error importCancelled() { return {"the import was cancelled", "", "", ""}; }

Status readTraceJson(InputStream& in, const std::filesystem::path& file, const TraceReader& reader) {
    Handler handler(reader);
    std::istream stream(&in);
    const bool parsed = Json::sax_parse(stream, &handler);
    if (in.cancelled()) return fail(importCancelled());
    if (in.problem()) return fail(*in.problem());
    if (!handler.status()) return handler.status();
    const auto refuse = [&](std::string where, std::string why, std::string legal) {
        return fail({"cannot import the trace", std::move(where), std::move(why), std::move(legal)});
    };
    if (!parsed && !(handler.openList() && in.sgetc() == std::char_traits<char>::eof() && handler.why().find("end of input") != std::string::npos))
        return refuse(file.string() + ", byte " + std::to_string(handler.at()), "it is no valid JSON: " + handler.why(), "");
    if (!handler.found())
        return refuse(file.string(), "it is JSON, but has no list traceEvents",
                      "A trace is an object with a list traceEvents, or that list alone");
    return {};
}

}  // namespace shardlab
