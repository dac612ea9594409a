// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/highlight.h"

#include "ui/core/child.h"

#include <QPainter>
#include <QPalette>
#include <QPointer>
#include <QVariantAnimation>
#include <QWidget>

namespace shardlab::ui {
namespace {

constexpr int fadeMilliseconds = 3000, lineWidth = 3, distance = 4;
constexpr auto frameName = "highlight";

class FadingFrame : public QWidget {
public:
    explicit FadingFrame(QWidget& target) : QWidget(target.window()), target_(&target) {
        setObjectName(QString::fromLatin1(frameName));
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
        auto* fading = child<QVariantAnimation>(this);
        fading->setStartValue(1.0);
        fading->setEndValue(0.0);
        fading->setDuration(fadeMilliseconds);
        fading->setEasingCurve(QEasingCurve::InQuad);
        connect(fading, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
            strength_ = value.toDouble();
            follow();
        });
        connect(fading, &QVariantAnimation::finished, this, &QObject::deleteLater);
        follow();
        show();
        raise();
        fading->start();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        QColor colour = palette().color(QPalette::Highlight);
        colour.setAlphaF(static_cast<float>(strength_));
        painter.setPen(QPen(colour, lineWidth));
        const double half = lineWidth / 2.0;
        painter.drawRoundedRect(QRectF(rect()).adjusted(half, half, -half, -half), 6, 6);
    }

private:
    /// The target may still be scrolled into sight, or its dock come to the front.
    void follow() {
        if (!target_ || !target_->isVisible()) return hide();
        const QRect there(target_->mapTo(window(), QPoint()), target_->size());
        setGeometry(there.adjusted(-distance, -distance, distance, distance) & window()->rect());
        show();
        raise();
        update();
    }

    QPointer<QWidget> target_;
    double strength_ = 1;
};

}  // namespace

void highlight(QWidget& widget) {
    if (auto* before = widget.window()->findChild<QWidget*>(QString::fromLatin1(frameName))) before->deleteLater();
    child<FadingFrame>(widget);
}

}  // namespace shardlab::ui
