// SPDX-License-Identifier: GPL-3.0-or-later
// A view in its frame: a dock with our own head (title, subtitle, menu), or with a hint in the view's place while it
// has nothing to show.
#pragma once

#include "engine/base/result.h"
#include "ui/core/view.h"

#include <QDockWidget>

#include <vector>

class QLabel;
class QMenu;
class QTabBar;
class QStackedWidget;

namespace shardlab::ui {

class Document;
class Figure;
class Hint;
class Veil;

class DockPanel : public QDockWidget {
    Q_OBJECT
public:
    DockPanel(const ViewKind& kind, const ViewContext& context, QWidget* parent);
    ~DockPanel() override;

    View& view() const { return *view_; }
    const QString& id() const { return id_; }
    /// What the view shows, in a sentence.
    const QString& shows() const { return shows_; }
    /// The menu with copying, saving, floating and closing, for the head and for a right click.
    void fillMenu(QMenu& menu);
    void copyTable();
    /// The table in a window of its own.
    void showTable();
    /// As a figure made of pixels, or of shapes and text.
    void copyPicture();
    void copySvg();
    /// Saves the view as a figure (figure.h): an SVG or a PDF where the name ends so, else a PNG. What was there before
    /// stays where that fails; saved() tells which. True: it is there.
    bool savePicture(const QString& file);
    void askForPictureFile();
    /// False while the hint stands in the view's place.
    bool showsView() const;
    /// What the view draws was predicted for an earlier layout: it is dimmed, and the head says so.
    bool isStale() const;
    /// The head and the frame are marked: the keyboard is in the view.
    bool marked() const;
    /// The tabs of the stack that it stands in; null: it stands alone.
    QTabBar* tabBar() const;

Q_SIGNALS:
    void saved(const QString& file, const shardlab::base::Error* whyNot);  ///< nullptr: it is there

protected:
    /// A right click that nothing in the view took for itself.
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeHead(const QString& title);
    QWidget* makeNoHead();
    void refresh();
    Figure figure();

    QString id_;
    QString shows_;
    const Document* predicted_;  ///< whose plan the view draws; null: none's
    const RunModel& model_;
    const Document& document_;
    ThemeSource* theme_;  ///< follows that of the window, but while a figure is made of the view
    View* view_;
    Veil* veil_;  ///< over the view while it is stale
    QStackedWidget* stack_;
    Hint* hint_;
    QLabel* subtitle_ = nullptr;
    std::vector<QWidget*> framed_;  ///< what shows that the keyboard is here
};

/// Lists the views of a stack, to bring one in front.
void fillWithTabs(QMenu& menu, QTabBar& bar);

}  // namespace shardlab::ui
