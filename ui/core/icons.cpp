// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/icons.h"

#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

/// Resources of a static library are only there once asked for, and only outside namespaces.
static void useIconResources() { Q_INIT_RESOURCE(icons); }

namespace shardlab::ui {

void useIcons() { useIconResources(); }

namespace {

QByteArray svg(const char* name) {
    useIcons();
    QFile file(QStringLiteral(":/icons/%1.svg").arg(QLatin1String(name)));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QPixmap drawn(const QByteArray& picture, int pixels) {
    QPixmap pixmap(pixels, pixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QSvgRenderer(picture).render(&painter);
    return pixmap;
}

}  // namespace

QIcon icon(const char* name, const QColor& colour, const QColor& selected) {
    QIcon result;
    for (const int pixels : {20, 40, 60}) {
        for (const QIcon::State state : {QIcon::Off, QIcon::On}) {
            QByteArray picture = svg(name);
            picture.replace("currentColor", (state == QIcon::On ? selected : colour).name().toLatin1());
            result.addPixmap(drawn(picture, pixels), QIcon::Normal, state);
        }
    }
    return result;
}

QIcon programIcon() {
    QIcon result;
    for (const int pixels : {16, 32, 64, 256}) result.addPixmap(drawn(svg("shardlab"), pixels));
    return result;
}

}  // namespace shardlab::ui
