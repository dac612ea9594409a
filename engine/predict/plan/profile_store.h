// SPDX-License-Identifier: Apache-2.0
// Where profiles lie: one JSON file each (resources/manual/73-profiles.md) in a folder of the user's.
#pragma once

#include "engine/predict/plan/profile.h"

#include <filesystem>
#include <vector>

namespace shardlab::predict {

/// $SHARDLAB_PROFILES, else $XDG_DATA_HOME/shardlab/profiles, else ~/.local/share/shardlab/profiles. Need not exist.
std::filesystem::path profilesFolder();

/// The place of a profile in `folder`; one measured again replaces the one before.
std::filesystem::path profileFile(const Profile& profile, const std::filesystem::path& folder = profilesFolder());

/// Error: saveProfile() could not write there. Its folder is made.
Status canSaveProfile(const std::filesystem::path& file);
/// Makes the folder where it is missing.
Status saveProfile(const Profile& profile, const std::filesystem::path& file);
Result<Profile> loadProfile(const std::filesystem::path& file);

/// All that can be read, in no order; files that are no profiles are passed over, a missing folder holds none.
std::vector<Profile> loadProfiles(const std::filesystem::path& folder = profilesFolder());

/// The newest of those that fit; null where there is none.
const Profile* fittingProfile(const std::vector<Profile>& profiles, const Layout& layout,
                              const Machine& machine = thisMachine());

}  // namespace shardlab::predict
