// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/checkpoint/checkpoint_folder.h"

#include "engine/base/parse_text.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace shardlab::trace {
namespace {

constexpr std::string_view stepWord = "-step-";
constexpr std::string_view unfinishedEnding = ".unfinished-";
constexpr std::string_view removedEnding = ".removed";

std::optional<CheckpointPlace> parsePlace(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    const std::size_t word = name.find(stepWord);
    if (word == std::string::npos) return std::nullopt;
    const auto serial = parseNumber<int>(std::string_view(name).substr(0, word));
    const auto step = parseNumber<std::int64_t>(std::string_view(name).substr(word + stepWord.size()));
    if (!serial || !step || *serial < 0 || *step < 0) return std::nullopt;
    return CheckpointPlace{path, *serial, *step};
}

/// Left by a job that is gone: the mark begins with its process. What only looks so, beside checkpoints, is not ours to
/// remove.
bool abandoned(const std::string& name) {
    if (name.ends_with(removedEnding))
        return parsePlace(name.substr(0, name.size() - removedEnding.size())).has_value();
    const std::size_t ending = name.find(unfinishedEnding);
    if (ending == std::string::npos || !parsePlace(name.substr(0, ending))) return false;
    const std::string_view mark = std::string_view(name).substr(ending + unfinishedEnding.size());
    const auto process = parseNumber<int>(mark.substr(0, mark.find('-')));
    return process && *process > 0 && ::kill(*process, 0) != 0 && errno == ESRCH;
}

std::vector<std::filesystem::path> entries(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> all;
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        all.push_back(at->path());
    return all;
}

Status removeAll(FileSystem& files, const std::filesystem::path& folder) {
    std::error_code ignored;
    // What a link leads to is somebody else's.
    if (std::filesystem::is_symlink(folder, ignored)) return files.remove(folder);
    for (const std::filesystem::path& file : entries(folder))
        if (const Status done = files.remove(file); !done) return done;
    return files.removeFolder(folder);
}

}  // namespace

std::vector<CheckpointPlace> listCheckpoints(const std::filesystem::path& folder) {
    std::vector<CheckpointPlace> places;
    for (const std::filesystem::path& path : entries(folder))
        if (const auto place = parsePlace(path)) places.push_back(*place);
    std::ranges::sort(places, {}, &CheckpointPlace::serial);
    return places;
}

Result<std::filesystem::path> findCheckpoint(const std::filesystem::path& place) {
    std::error_code ignored;
    if (std::filesystem::exists(place / manifestFile, ignored)) return place;
    const std::vector<CheckpointPlace> places = listCheckpoints(place);
    if (!places.empty()) return places.back().path;
    const bool there = std::filesystem::is_directory(place, ignored);
    return fail({say("there is no checkpoint"), place.string(),
                 there ? say("the folder is none and holds none") : say("there is no such folder"),
                 say("a checkpoint, or the folder that a run's checkpoints lie in")});
}

std::filesystem::path unfinishedCheckpoint(const std::filesystem::path& folder, int serial, std::int64_t step,
                                           const std::string& mark) {
    return folder / fmt::format("{:06}{}{}{}{}", serial, stepWord, step, unfinishedEnding, mark);
}

Result<std::filesystem::path> commitCheckpoint(FileSystem& files, const std::filesystem::path& unfinished,
                                               const CheckpointManifest& manifest) {
    std::string name = unfinished.filename().string();
    name.resize(std::min(name.size(), name.find(unfinishedEnding)));
    const std::filesystem::path whole = unfinished.parent_path() / name;
    const auto file = files.open(unfinished / manifestFile, OpenMode::Create);
    if (!file) return fail(file.error());
    const std::string text = writeManifest(manifest);
    const Status done = writeAll(**file, std::as_bytes(std::span(text)))
                            .and_then([&] { return (*file)->sync(); })
                            .and_then([&] { return files.syncFolder(unfinished); })
                            .and_then([&] { return files.rename(unfinished, whole); });
    if (!done) return fail(done.error());
    // From here on it is whole; what the folder's own entry risks is to be forgotten, not to be wrong. So does that of
    // the folder around it, where this is its first checkpoint.
    const std::filesystem::path folder = unfinished.parent_path();
    const std::filesystem::path around = folder.has_parent_path() ? folder.parent_path() : std::filesystem::path(".");
    const Status safe = files.syncFolder(folder).and_then([&] { return files.syncFolder(around); });
    if (!safe) return fail(safe.error());
    return whole;
}

Status removeCheckpoint(FileSystem& files, const std::filesystem::path& checkpoint) {
    if (!parsePlace(checkpoint)) return removeAll(files, checkpoint);
    std::filesystem::path away = checkpoint;
    away += removedEnding;
    // A loss of power must not leave it its name and take its files.
    return files.rename(checkpoint, away)
        .and_then([&] { return files.syncFolder(checkpoint.parent_path()); })
        .and_then([&] { return removeAll(files, away); });
}

Status tidyCheckpoints(FileSystem& files, const std::filesystem::path& folder, int keep) {
    for (const std::filesystem::path& path : entries(folder))
        if (abandoned(path.filename().string()))
            if (const Status done = removeAll(files, path); !done) return done;
    std::vector<CheckpointPlace> places = listCheckpoints(folder);
    std::erase_if(places, [](const CheckpointPlace& place) { return place.step == 0; });
    for (std::size_t i = 0; i + static_cast<std::size_t>(keep) < places.size(); ++i)
        if (const Status done = removeCheckpoint(files, places[i].path); !done) return done;
    return {};
}

}  // namespace shardlab::trace
