// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/trace_json.h"

#include "engine/base/library_words.h"
#include "engine/base/parse_text.h"
#include "engine/base/units.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <istream>
#include <nlohmann/json.hpp>

namespace shardlab::trace {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longestText = 4096;  ///< of a name or an argument; the rest is left out
constexpr std::size_t mostArguments = 64;
constexpr std::size_t longestNumber = 256;  ///< of a process or thread; the rest is left out
constexpr std::size_t deepestFact = 3;
constexpr std::size_t deepest = 512;  ///< lists and objects within one another
constexpr std::uint64_t longestToken = std::uint64_t{16} << 20;
constexpr std::size_t passedOn = std::size_t{1} << 18;

Error refusal(const std::string& where, Sentence why, Sentence legal) {
    return {say("cannot import the trace"), where, std::move(why), std::move(legal)};
}

std::string cutTo(std::string text, std::size_t longest) {
    if (text.size() > longest) text.resize(longest);
    return text;
}

/// The bytes of a JSON text, up to the first that the parser could not hold: it keeps all that follows the begin of a
/// text or a number until the next one begins.
class TokenBound final : public std::streambuf {
public:
    explicit TokenBound(std::streambuf& in) : in_(in), buffer_(passedOn) {}

    /// Where the text or number begins that is too long.
    std::optional<std::uint64_t> tooLong() const { return tooLong_; }

private:
    int_type underflow() override {
        const std::streamsize got =
            tooLong_ ? 0 : in_.sgetn(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        for (std::streamsize i = 0; i < got && !tooLong_; ++i) follow(buffer_[static_cast<std::size_t>(i)]);
        if (got <= 0 || tooLong_) return traits_type::eof();
        setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
        return traits_type::to_int_type(buffer_.front());
    }

    void follow(char byte) {
        if (text_) {
            if (escaped_) escaped_ = false;
            else if (byte == '\\') escaped_ = true;
            else if (byte == '"') text_ = false;
        } else if (byte == '"') {
            text_ = true;
            number_ = false;
            begin_ = at_;
        } else {
            const bool digit = (byte >= '0' && byte <= '9') || byte == '-';
            if (digit && !number_) begin_ = at_;
            number_ = digit || (number_ && (byte == '.' || byte == '+' || byte == 'e' || byte == 'E'));
        }
        if (++at_ - begin_ > longestToken) tooLong_ = begin_;
    }

    std::streambuf& in_;
    std::vector<char> buffer_;
    std::uint64_t at_ = 0;
    std::uint64_t begin_ = 0;  ///< of the latest text or number
    bool text_ = false, escaped_ = false, number_ = false;
    std::optional<std::uint64_t> tooLong_;
};

/// What the parser meets, as items. Depth counts the containers that are open.
class Handler final : public nlohmann::json_sax<Json> {
public:
    Handler(const TraceReader& reader, std::string file) : reader_(reader), file_(std::move(file)) {}

    bool null() override { return value({"null", false}); }
    bool boolean(bool is) override { return value({is ? "true" : "false", false}); }
    bool number_integer(number_integer_t number) override { return value({std::to_string(number), true}); }
    bool number_unsigned(number_unsigned_t number) override { return value({std::to_string(number), true}); }
    bool number_float(number_float_t, const string_t& written) override { return value({written, true}); }
    bool string(string_t& text) override { return value({cutTo(std::move(text), longestText), false}); }
    bool binary(binary_t&) override { return true; }

    bool start_object(std::size_t) override {
        if (depth_ == 0) form_ = Form::Object;
        if (!open()) return false;
        if (items_ != 0 && depth_ == items_ + 1) item_ = {};
        if (items_ != 0 && depth_ == items_ + 2) inArguments_ = true;
        if (items_ == 0 && depth_ > 1) facts_.push_back(std::exchange(key_, {}));
        return true;
    }
    bool end_object() override {
        const bool wasItem = items_ != 0 && depth_ == items_ + 1;
        if (items_ != 0 && depth_ == items_ + 2) inArguments_ = false;
        --depth_;
        if (items_ == 0 && !facts_.empty()) facts_.pop_back();
        if (wasItem) status_ = reader_.item(item_);
        return status_.has_value();
    }
    bool start_array(std::size_t) override {
        if (depth_ == 0) form_ = Form::List;
        const bool events = depth_ == 0 || (form_ == Form::Object && depth_ == 1 && key_ == "traceEvents");
        if (!open()) return false;
        if (events && items_ == 0) {
            items_ = depth_;
            seen_ = true;
        } else if (items_ == 0) {
            facts_.push_back(std::exchange(key_, {}));
            ++lists_;
        } else if (depth_ == items_ + 1) {
            reader_.ignored("entries of traceEvents that are no objects");
        } else if (inArguments_ && depth_ == items_ + 3 && item_.lists.size() < mostArguments) {
            item_.lists.emplace_back(std::exchange(key_, {}), "[");
            inList_ = listBegins_ = true;
        } else if (inList_) {
            write("[");
            listBegins_ = true;
        }
        return true;
    }
    bool end_array() override {
        if (inList_) {
            listBegins_ = true;
            write("]");
            listBegins_ = false;
            inList_ = depth_ != items_ + 3;
        }
        if (items_ == depth_) items_ = 0;
        else if (items_ == 0) {
            if (!facts_.empty()) facts_.pop_back();
            --lists_;
        }
        --depth_;
        return true;
    }
    bool key(string_t& name) override {
        key_ = cutTo(std::move(name), longestText);
        return true;
    }
    bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception& why) override {
        at_ = at;
        why_ = jsonReason(why.what());
        return false;
    }

    bool found() const { return seen_; }
    /// The list alone may lack its end: then it ends between two entries.
    bool openList() const { return form_ == Form::List && depth_ == 1; }
    Status status() const { return status_; }
    std::size_t at() const { return at_; }
    const Sentence& why() const { return why_; }

private:
    enum class Form : std::uint8_t { None, Object, List };

    /// A list or an object begins.
    bool open() {
        if (depth_ == deepest)
            status_ =
                fail(refusal(file_, say("its lists and objects lie more than {} deep within one another", deepest),
                             say("A trace as chrome://tracing reads it, whose lists and objects lie about 5 deep")));
        else ++depth_;
        return status_.has_value();
    }

    /// Goes on with the list that is open: nothing is added to one that was too long once.
    void write(std::string_view text) {
        std::string& list = item_.lists.back().second;
        const std::size_t comma = std::exchange(listBegins_, false) ? 0 : 1;
        if (list.size() + comma + text.size() > longestText) list.resize(longestText, ' ');
        else list.append(comma, ',').append(text);
    }

    bool value(TraceValue value) {
        if (inList_) {
            write(value.text);
            return true;
        }
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
        else if (key_ == "pid") item_.process = cutTo(std::move(value.text), longestNumber);
        else if (key_ == "tid") item_.thread = cutTo(std::move(value.text), longestNumber);
        else if (key_ == "id") item_.id = cutTo(std::move(value.text), longestNumber);
        else if (key_ == "ts") item_.begin = nanoseconds(value.text);
        else if (key_ == "dur") item_.duration = nanoseconds(value.text);
    }

    const TraceReader& reader_;
    std::string file_;
    Form form_ = Form::None;
    std::size_t depth_ = 0;
    std::size_t items_ = 0;  ///< depth within traceEvents; 0: not in it
    std::size_t lists_ = 0;  ///< open lists among the facts
    bool seen_ = false;
    bool inArguments_ = false;
    bool inList_ = false;      ///< in a list among the arguments, which is the last of the item's
    bool listBegins_ = false;  ///< nothing stands in it yet
    std::string key_;
    std::vector<std::string> facts_;
    TraceItem item_;
    Status status_;
    std::size_t at_ = 0;
    Sentence why_;
};

}  // namespace

const TraceValue* TraceItem::argument(std::string_view key) const {
    const auto found =
        std::ranges::find(arguments, key, [](const auto& argument) { return std::string_view(argument.first); });
    return found == arguments.end() ? nullptr : &found->second;
}

std::string_view TraceItem::list(std::string_view key) const {
    const auto found = std::ranges::find(lists, key, [](const auto& list) { return std::string_view(list.first); });
    return found == lists.end() ? std::string_view() : std::string_view(found->second);
}

std::string TraceItem::text(std::string_view key) const {
    const TraceValue* value = argument(key);
    return value ? value->text : std::string();
}

std::optional<double> TraceItem::number(std::string_view key) const {
    const TraceValue* value = argument(key);
    return value ? parseNumber<double>(value->text) : std::nullopt;
}

std::optional<std::int64_t> nanoseconds(std::string_view microseconds) {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    const std::size_t point = microseconds.find('.');
    const std::string_view whole = microseconds.substr(0, point);
    const auto value = parseNumber<std::int64_t>(whole);
    const bool plain = value && *value < most / 1000 && *value > -most / 1000 &&
                       microseconds.find_first_not_of("0123456789", point == std::string_view::npos
                                                                        ? microseconds.size()
                                                                        : point + 1) == std::string_view::npos;
    if (!plain) {  // 1e3 and the like
        const auto number = parseNumber<double>(microseconds);
        if (!number || !(std::abs(*number) < 4e15)) return std::nullopt;
        return std::llround(*number * 1000);
    }
    std::int64_t part = 0;
    if (point != std::string_view::npos)
        for (std::size_t digit = 0; digit < 3; ++digit)
            part = part * 10 + (point + 1 + digit < microseconds.size() ? microseconds[point + 1 + digit] - '0' : 0);
    return *value * 1000 + (whole.starts_with('-') ? -part : part);
}

Error importCancelled() { return {say("the import was cancelled"), "", "", ""}; }

Status readTraceJson(InputStream& in, const std::filesystem::path& file, const TraceReader& reader) {
    Handler handler(reader, file.string());
    TokenBound bound(in);
    std::istream stream(&bound);
    const bool parsed = Json::sax_parse(stream, &handler);
    if (in.cancelled()) return fail(importCancelled());
    if (in.problem()) return fail(*in.problem());
    if (!handler.status()) return handler.status();
    const auto refuse = [](const std::string& where, Sentence why, Sentence legal) {
        return fail(refusal(where, std::move(why), std::move(legal)));
    };
    if (bound.tooLong())
        return refuse(fmt::format("{}, byte {}", file.string(), *bound.tooLong()),
                      say("what begins there goes on for more than {} before another text or number begins",
                          formatBytes(static_cast<std::int64_t>(longestToken))),
                      say("Names, arguments and numbers that are shorter"));
    if (!parsed && !(handler.openList() && bound.sgetc() == std::char_traits<char>::eof() &&
                     handler.why() == jsonReason("unexpected end of input")))
        return refuse(fmt::format("{}, byte {}", file.string(), handler.at()),
                      say("it is no valid JSON: {}", handler.why()), "");
    if (!handler.found())
        return refuse(file.string(), say("it is JSON, but has no list traceEvents"),
                      say("A trace is an object with a list traceEvents, or that list alone"));
    return {};
}

}  // namespace shardlab::trace
