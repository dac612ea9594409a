// SPDX-License-Identifier: GPL-3.0-or-later
// Names, reasons and log lines come from files and links: what looks like markup in them is text.
#pragma once

#include <QObject>

namespace shardlab::ui {

/// For as long as it lives, labels and tooltips of the application show their text as it is written, where they were
/// not told that it is rich text: Qt would guess.
class PlainLabels final : public QObject {
    Q_OBJECT
public:
    explicit PlainLabels(QObject* parent = nullptr);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace shardlab::ui
