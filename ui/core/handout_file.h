// SPDX-License-Identifier: GPL-3.0-or-later
// A page of HTML (engine/launch/lesson/handout.h) as a file.
#pragma once

#include "engine/base/result.h"

#include <QString>

#include <filesystem>

namespace shardlab::ui {

/// A PDF of A4 pages where the name ends so, else the HTML itself. Needs a QGuiApplication.
Status saveHandout(const QString& html, const std::filesystem::path& file);

}  // namespace shardlab::ui
