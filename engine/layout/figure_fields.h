// SPDX-License-Identifier: Apache-2.0
// Reads the files of figures that predictions are made from: devices, architectures, software stacks.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/devices.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::layout {

/// What a file of figures describes.
struct FigureKind {
    std::string_view name;     ///< "device"
    std::string_view example;  ///< a file that comes with Shardlab and has all fields
};

/// Reads one object of figures whose fields are all wanted and all known, and keeps the first thing that is wrong.
class FigureFields {
public:
    FigureFields(const nlohmann::json& object, FigureKind kind, std::string file, std::string place = {});

    /// A number that is more than `above` and at most `most`; 0 for one that is not, and the fault is kept.
    double number(const char* key, double above, double most, const char* legal);
    double positive(const char* key, const char* unit) { return number(key, 0, 1e24, unit); }
    double share(const char* key);  ///< more than 0 and at most 1
    /// As number(), of a field that may be left out.
    double numberOr(const char* key, double above, double most, const char* legal, double otherwise);
    double positiveOr(const char* key, const char* unit, double otherwise) {
        return numberOr(key, 0, 1e24, unit, otherwise);
    }
    bool flag(const char* key);
    std::string text(const char* key);
    std::string textOr(const char* key, std::string otherwise);
    std::vector<std::string> texts(const char* key);  ///< a list, which may be empty
    Link link(const char* key);
    std::optional<DeviceHost> host(const char* key);  ///< a field that may be left out
    bool has(const char* key) const;
    FigureFields inside(const char* key);  ///< the fields of an object in this one; close() it
    void close(FigureFields& inside);
    /// What was not asked for is unknown.
    void close();
    const std::optional<Error>& error() const { return error_; }

private:
    std::string child(std::string_view key) const { return place_ + "/" + std::string(key); }
    const nlohmann::json* find(const char* key);
    void fail(const std::string& pointer, const Sentence& why, const Sentence& legal);

    const nlohmann::json& object_;
    FigureKind kind_;
    std::string file_, place_;
    std::vector<std::string> known_;
    std::optional<Error> error_;
};

/// The tree of a file's text. Errors name the kind and the file.
Result<nlohmann::json> parseFigures(std::string_view text, FigureKind kind, const std::string& file);
/// The files *.json of a folder, by name; none where there is no such folder.
std::vector<std::filesystem::path> jsonFiles(const std::filesystem::path& folder);

}  // namespace shardlab::layout
