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

}  // namespace

void onTaken(QAbstractItemView& view, std::function<void(const QModelIndex&)> take) {
    QObject::connect(&view, &QAbstractItemView::doubleClicked, &view, take);
    child<EnterKey>(view, std::move(take));
}

}  // namespace shardlab::ui
