// SPDX-License-Identifier: GPL-3.0-or-later
// One workspace: its views as docks that can be moved, closed, floated; the arrangement is kept in the settings.
#pragma once

#include "ui/core/view.h"
#include "ui/window/arrangement.h"

#include <QHash>
#include <QMainWindow>
#include <QSet>
#include <QTimer>

#include <vector>

namespace shardlab::ui {

class DockPanel;

QString name(Workspace workspace);  ///< "Design"

class WorkspaceArea : public QMainWindow {
    Q_OBJECT
public:
    WorkspaceArea(const ViewContext& context, QWidget* parent);

    Workspace workspace() const { return workspace_; }
    const std::vector<DockPanel*>& panels() const { return panels_; }
    DockPanel* panel(const QString& id) const;
    /// Brings a view into sight that was closed or lies behind another.
    void showPanel(const QString& id);
    /// Shows only this view, as large as the workspace; the others come back with unfill(), or once another one is
    /// shown.
    void fill(const QString& id);
    void unfill();
    const QString& filled() const { return filled_; }  ///< id; empty: none
    /// The id of the view that has the keyboard; empty where none has it.
    QString focused() const;

Q_SIGNALS:
    void filledChanged();
    void saved(const QString& file, const shardlab::base::Error* whyNot);  ///< the figure of a view

public:
    void resetArrangement();
    void restoreArrangement();
    /// Saves the arrangement where the person changed it, and only while it is in sight: Qt saves docks out of sight as
    /// closed.
    void storeArrangement() const;
    /// Moves the keyboard to the next (or previous) view in sight.
    void focusPanel(int direction);
    /// The widget is part of a view that lies behind another one's tab, which Qt takes for visible.
    bool hides(const QWidget& widget) const;

protected:
    bool event(QEvent* event) override;
    /// A tab says what its view shows; a right click on one lists all of its stack.
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    QString settingsKey() const;
    /// Restores an arrangement that was saved when some views had other ids; false where `state` is no such
    /// arrangement.
    bool restoreWithFormerIds(const QByteArray& state);
    void arrange();
    void split(const Place& group);
    void raiseFirst(const Place& group);
    DockPanel* firstPanel(const Place& place) const;
    /// The default arrangement's sizes, scaled to the window; until the person changes them.
    void applySizes();
    /// The docks' layout makes tab bars as it needs them, in a person's own arrangement too.
    void setUpTabs();
    void settle();
    void setSizes(const Place& place, const QSize& size);
    /// A group of views above each other with the heights of those that fit, in so many pixels.
    Place fitted(Place group, int height);
    bool anyClosed() const;
    /// The default arrangement for the room there is; closed views stay closed.
    void rearrange();
    /// Where the person's own arrangement does not fit into the window, the default one stands in its place.
    void putAside();
    /// The person's own arrangement stands again.
    void takeBack();
    /// In sight in the area itself, neither behind a tab nor in a window of its own.
    bool stands(const DockPanel& panel) const;
    /// Takes the sizes of now as the person's.
    void keepSizes();
    /// The person's sizes, scaled to the window.
    void setOwnSizes();

    Workspace workspace_;
    std::vector<DockPanel*> panels_;
    QSet<QString> fitting_;  ///< ids of views whose height is that of what they show
    QTimer settleTimer_;
    int settling_ = 0;  ///< rounds left
    QString filled_;
    QByteArray before_;               ///< the arrangement that unfill() goes back to
    Room room_ = Room::Ample;         ///< that it is arranged for
    bool own_ = false;                ///< the person's own arrangement: its sizes are those that the person gave it
    bool moving_ = false;             ///< a person moves a separator
    QSize sizedIn_;                   ///< of the area, when ownSizes_ were taken
    QHash<QString, QSize> ownSizes_;  ///< by view; empty: not taken yet
    QByteArray aside_;                ///< the person's own arrangement while it does not fit
    QSize asideNeeds_;                ///< the least size of the area in which it fits
    bool arranging_ = false;
};

}  // namespace shardlab::ui
