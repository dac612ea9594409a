// SPDX-License-Identifier: GPL-3.0-or-later
// A view as a picture made of shapes and text, which stays sharp at any size.
#pragma once

class QByteArray;
class QString;
class QWidget;

namespace shardlab::ui {

/// The widget as it stands, with everything in it, as an SVG document.
QByteArray svgOf(QWidget& widget, const QString& title);

}  // namespace shardlab::ui
