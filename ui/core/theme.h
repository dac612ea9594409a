// SPDX-License-Identifier: GPL-3.0-or-later
// Colours and fonts of the whole desktop, dark and light. Views ask; nothing else holds a colour.
#pragma once

#include "engine/base/memory_category.h"
#include "engine/trace/event/event.h"

#include <QColor>
#include <QFont>
#include <QObject>

class QApplication;

namespace shardlab::ui {

struct Theme {
    bool dark = true;
    QColor window;  ///< behind everything
    QColor panel;   ///< of a view
    QColor raised;  ///< fields, buttons, chips
    QColor border;
    QColor grid;
    QColor text;
    QColor dim;       ///< labels, secondary text
    QColor accent;    ///< primary button, selection
    QColor onAccent;  ///< text on accent
    QColor good;
    QColor warning;
    QColor bad;
    QColor idle;  ///< bubble, hatched
    QFont body;
    QFont mono;  ///< tabular figures

    QColor action(EventKind kind) const;
    QColor memory(MemoryCategory category) const;
    /// How many times as large as the desktop's its letters are: more than 1 where people in a room read them.
    double letters() const;
    /// As many pixels beside such letters as `pixels` are beside the desktop's.
    int scaled(int pixels) const;
    QFont bodyAt(int pixels) const { return at(body, pixels); }
    QFont monoAt(int pixels) const { return at(mono, pixels); }

    static Theme darkTheme();
    static Theme lightTheme();

private:
    QFont at(QFont font, int pixels) const;
};

/// Holds the current theme and tells views when it changes.
class ThemeSource : public QObject {
    Q_OBJECT
public:
    explicit ThemeSource(QObject* parent = nullptr);
    const Theme& theme() const { return theme_; }
    /// Sets palette and style sheet of the application too.
    void setDark(bool dark);
    /// For a part of the window with a source of its own: the application stays as it is.
    void setTheme(const Theme& theme) {
        theme_ = theme;
        Q_EMIT changed();
    }
Q_SIGNALS:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void recolour(const QString& sheet);

    Theme theme_;
    bool recolouring_ = false;
};

/// `share` of the way from one colour to another, in [0, 1].
QColor mixed(const QColor& from, const QColor& to, double share);
/// Black or white, whichever reads better on `back`.
QColor readableOn(const QColor& back);

}  // namespace shardlab::ui
