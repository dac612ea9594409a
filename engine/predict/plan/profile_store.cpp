// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/profile_store.h"

#include "engine/base/file.h"

#include <cstdlib>
#include <fmt/format.h>
#include <system_error>

namespace shardlab::predict {
namespace {

/// FNV-1a.
std::uint64_t hashOf(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

std::filesystem::path variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

}  // namespace

std::filesystem::path profilesFolder() {
    if (const auto given = variable("SHARDLAB_PROFILES"); !given.empty()) return given;
    std::filesystem::path data = variable("XDG_DATA_HOME");
    if (!data.is_absolute()) data = variable("HOME") / ".local" / "share";
    return data / "shardlab" / "profiles";
}

std::filesystem::path profileFile(const Profile& profile, const std::filesystem::path& folder) {
    // What a profile fits, and nothing else, makes its name: so its figures and its date are left out.
    Profile key;
    key.machine = profile.machine;
    key.threads = profile.threads;
    key.layout = profiledParts(profile.layout);
    const ModelSpec& model = profile.layout.model;
    return folder / fmt::format("{}-h{}-s{}-v{}-b{}-t{}-{:016x}.json", wordOf(model.kind), model.hidden, model.sequence,
                                model.vocabulary, profile.layout.batch.micro, profile.threads,
                                hashOf(writeProfile(key)));
}

namespace {

void makeFolderOf(const std::filesystem::path& file) {
    std::error_code told;  // by what is then written there
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), told);
}

}  // namespace

Status canSaveProfile(const std::filesystem::path& file) {
    makeFolderOf(file);
    DiskFileSystem files;
    const auto out = ReplacingFile::open(files, file);
    return out ? Status{} : fail(out.error());
}

Status saveProfile(const Profile& profile, const std::filesystem::path& file) {
    makeFolderOf(file);
    return replaceFile(file, writeProfile(profile));
}

Result<Profile> loadProfile(const std::filesystem::path& file) {
    const auto text = readFile(file, 1 << 24);
    if (!text) return fail(text.error());
    auto profile = parseProfile(*text);
    if (!profile) profile.error().where = file.string();
    return profile;
}

std::vector<Profile> loadProfiles(const std::filesystem::path& folder) {
    std::vector<Profile> profiles;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() != ".json") continue;
        if (auto profile = loadProfile(entry.path())) profiles.push_back(std::move(*profile));
    }
    return profiles;
}

const Profile* fittingProfile(const std::vector<Profile>& profiles, const Layout& layout, const Machine& machine) {
    const Profile* best = nullptr;
    for (const Profile& profile : profiles)
        if (fits(profile, layout, machine) && (best == nullptr || profile.date > best->date)) best = &profile;
    return best;
}

}  // namespace shardlab::predict
