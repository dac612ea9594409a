// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/taking.h"

#include "ui/core/child.h"

#include <QAbstractItemView>
#include <QKeyEvent>

namespace shardlab::ui {
namespace {

class EnterKey : public QObject {
public:
    EnterKey(QAbstractItemView& view, std::function<void(const QModelIndex&)> take)
        : QObject(&view), view_(view), take_(std::move(take)) {
        view.installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched != &view_ || event->type() != QEvent::KeyPress) return false;
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key != Qt::Key_Return && key != Qt::Key_Enter) return false;
        take_(view_.currentIndex());
        return true;
    }

private:
    QAbstractItemView& view_;
    std::function<void(const QModelIndex&)> take_;
};

class Arrows : public QObject {
public:
    Arrows(QWidget& field, QAbstractItemView& view) : QObject(&field), view_(view) { field.installEventFilter(this); }

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() != QEvent::KeyPress) return false;
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (step == 0) return false;
        QModelIndex row = view_.currentIndex();
        do row = row.siblingAtRow(row.row() + step);
        while (row.isValid() && !row.flags().testFlag(Qt::ItemIsSelectable));
        if (row.isValid()) view_.setCurrentIndex(row);
        return true;
    }

private:
    QAbstractItemView& view_;
};

}  // namespace

void onTaken(QAbstractItemView& view, std::function<void(const QModelIndex&)> take) {
    QObject::connect(&view, &QAbstractItemView::doubleClicked, &view, take);
    child<EnterKey>(view, std::move(take));
}

void walkFrom(QWidget& field, QAbstractItemView& view) { child<Arrows>(field, view); }

}  // namespace shardlab::ui
