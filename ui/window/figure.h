// SPDX-License-Identifier: GPL-3.0-or-later
// A view as a figure for a paper or a slide: its title above, in light colours, with its axes and legend, whole where
// the window shows a part, and without the fields and buttons that belong to the program.
#pragma once

#include "ui/core/theme.h"

#include <QByteArray>
#include <QImage>
#include <QList>
#include <QPoint>
#include <QPointer>
#include <QString>

#include <map>
#include <utility>
#include <vector>

class QCPPainter;
class QScrollBar;
class QWidget;

namespace shardlab::ui {

struct FigureText {
    QString title;
    QString subtitle;  ///< of the view
    QString source;    ///< what was drawn: the run or the layout
};

/// Widgets that are drawn at another place within their parent than they have in the window.
using FigurePlaces = std::map<const QWidget*, QPoint>;

/// While it lives, the widget is in the figure's clothes; afterwards it is as it was. Made and used in one go, by the
/// thread of the user interface.
class Figure {
public:
    /// `theme` is the theme of the widget alone. `keepsFields`: the fields are what the view shows.
    Figure(QWidget& body, ThemeSource& theme, FigureText text, bool keepsFields);
    ~Figure();
    Figure(const Figure&) = delete;
    Figure& operator=(const Figure&) = delete;

    QSize size() const;
    QByteArray svg() const;
    QByteArray pdf() const;
    QImage image() const;  ///< twice as fine as the screen

private:
    bool hideControls(bool keepsFields);  ///< whether there was one in sight
    bool unroll();                        ///< whether there was something to unroll
    void divide();                        ///< what was unrolled, into columns
    int headHeight() const;
    void draw(QCPPainter& painter) const;

    QWidget& body_;
    ThemeSource& theme_;
    FigureText text_;
    QList<QPointer<QWidget>> hidden_;
    QPointer<QWidget> focused_;
    QString sheet_;
    Theme before_;
    QSize room_;    ///< of the widget in its window
    QSize extent_;  ///< of what is drawn of it
    FigurePlaces places_;
    std::vector<std::pair<QPointer<QScrollBar>, int>> scrolled_;  ///< how far what is whole in the figure was scrolled
};

}  // namespace shardlab::ui
