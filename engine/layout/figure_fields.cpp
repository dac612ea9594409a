// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/figure_fields.h"

#include "engine/layout/fault.h"
#include "engine/layout/json_text.h"
#include "engine/layout/suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::layout {

using nlohmann::json;

namespace {
const json nothing = json::object();
constexpr auto positiveBandwidth = "bytes per second, one direction, more than 0";
}  // namespace

FigureFields::FigureFields(const json& object, FigureKind kind, std::string file, std::string place)
    : object_(object), kind_(kind), file_(std::move(file)), place_(std::move(place)) {
    if (!object.is_object()) fail(place_.empty() ? "/" : place_, "it is no object", "an object of figures");
}

double FigureFields::number(const char* key, double above, double most, const char* legal) {
    const json* value = find(key);
    if (value == nullptr) return 0;
    if (!value->is_number()) return fail(child(key), "it is no number", legal), 0;
    const double figure = value->get<double>();
    if (!(figure > above && figure <= most)) return fail(child(key), fmt::format("it is {:.6g}", figure), legal), 0;
    return figure;
}

double FigureFields::share(const char* key) { return number(key, 0, 1, "a share, more than 0 and at most 1"); }

double FigureFields::numberOr(const char* key, double above, double most, const char* legal, double otherwise) {
    return has(key) ? number(key, above, most, legal) : (known_.emplace_back(key), otherwise);
}

bool FigureFields::flag(const char* key) {
    const json* value = find(key);
    if (value == nullptr) return false;
    if (!value->is_boolean()) return fail(child(key), "it is neither true nor false", "true or false"), false;
    return value->get<bool>();
}

std::string FigureFields::text(const char* key) {
    const json* value = find(key);
    if (value == nullptr) return {};
    if (!value->is_string() || value->get_ref<const std::string&>().empty())
        return fail(child(key), "it is no text", "a few words"), std::string();
    return value->get<std::string>();
}

std::string FigureFields::textOr(const char* key, std::string otherwise) {
    return has(key) ? text(key) : (known_.emplace_back(key), std::move(otherwise));
}

std::vector<std::string> FigureFields::texts(const char* key) {
    const json* value = find(key);
    if (value == nullptr) return {};
    const auto isText = [](const json& each) { return each.is_string(); };
    if (!value->is_array() || !std::ranges::all_of(*value, isText))
        return fail(child(key), "it is no list of texts", "a list of words"), std::vector<std::string>();
    return value->get<std::vector<std::string>>();
}

Link FigureFields::link(const char* key) {
    FigureFields fields = inside(key);
    const Link link{fields.positive("bandwidth_bytes_per_second", positiveBandwidth),
                    fields.number("latency_seconds", -1e-300, 1, "seconds, from 0 to 1")};
    close(fields);
    return link;
}

std::optional<DeviceHost> FigureFields::host(const char* key) {
    if (!has(key)) return known_.emplace_back(key), std::nullopt;
    FigureFields fields = inside(key);
    DeviceHost host;
    host.link.bandwidth = fields.positive("bandwidth_bytes_per_second", positiveBandwidth);
    host.link.latency = fields.number("latency_seconds", -1e-300, 1, "seconds, from 0 to 1");
    host.memoryBandwidth = fields.positive("memory_bandwidth_bytes_per_second", "bytes per second, more than 0");
    close(fields);
    return host;
}

bool FigureFields::has(const char* key) const { return object_.is_object() && object_.contains(key); }

FigureFields FigureFields::inside(const char* key) {
    const json* value = find(key);
    return {value == nullptr ? nothing : *value, kind_, file_, child(key)};
}

void FigureFields::close(FigureFields& inside) {
    inside.close();
    if (!error_) error_ = inside.error_;
}

void FigureFields::close() {
    if (error_ || !object_.is_object()) return;
    for (const auto& [key, value] : object_.items())
        if (std::ranges::find(known_, key) == known_.end())
            return fail(child(key), fmt::format("{} files have no such field", kind_.name),
                        legalWords(key, {known_.begin(), known_.end()}));
}

const json* FigureFields::find(const char* key) {
    known_.emplace_back(key);
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    if (found != object_.end()) return &*found;
    fail(child(key), "it is missing",
         fmt::format("a {} has all its figures; {} is an example", kind_.name, kind_.example));
    return nullptr;
}

void FigureFields::fail(const std::string& pointer, const Sentence& why, const Sentence& legal) {
    if (!error_)
        error_ =
            Error{say("cannot use the {}", kind_.name), file_, say("{}: {}", pointer, why), say("Legal: {}", legal)};
}

Result<json> parseFigures(std::string_view text, FigureKind kind, const std::string& file) {
    Result<JsonText> parsed = parseJsonText(text);
    const Sentence what = say("cannot use the {}", kind.name);
    if (!parsed) {
        Error error = parsed.error();
        error.what = what;
        if (!error.where.empty()) error.why = say("{}: {}", error.where, error.why);
        error.where = file;
        return base::fail(std::move(error));
    }
    if (!parsed->duplicates.empty()) return base::fail({what, file, toText(parsed->duplicates.front()), ""});
    return std::move(parsed->root);
}

std::vector<std::filesystem::path> jsonFiles(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

}  // namespace shardlab::layout
