// SPDX-License-Identifier: GPL-3.0-or-later
// A panel over the window that Escape, a click beside it, or losing the keyboard puts away.
#pragma once

#include <QFrame>
#include <QPointer>

class QVBoxLayout;

namespace shardlab::ui {

class Overlay : public QFrame {
    Q_OBJECT
public:
    explicit Overlay(QWidget* window);
    /// Puts any other away.
    void open();
    void dismiss();

protected:
    /// Where the overlay stands in a window of this size, in the coordinates of the window.
    virtual QRect place(const QSize& window) const = 0;
    virtual void opened() {}
    /// The panel's column, begun with what it is for and, small below, how that goes.
    QVBoxLayout* explained(const QString& what, const QString& how);
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// The widget that had the keyboard before.
    QPointer<QWidget> before_;
};

}  // namespace shardlab::ui
