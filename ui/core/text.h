// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/units.h"

#include <QString>

#include <concepts>
#include <filesystem>
#include <string_view>

namespace shardlab::ui {

/// The engine's UTF-8 as Qt's text.
inline QString text(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// A path as Qt's text. The type is exact, since a std::string would be a path too.
template <std::same_as<std::filesystem::path> Path>
QString text(const Path& path) {
    return text(std::string_view(path.native()));
}

/// "1 row", "3 rows": `many` has the number as %1.
inline QString counted(auto count, const QString& one, const QString& many) {
    return count == 1 ? one : many.arg(count);
}

/// A fraction as "37.5 %".
inline QString percent(double fraction) { return text(formatPercent(fraction)); }

}  // namespace shardlab::ui
