// SPDX-License-Identifier: GPL-3.0-or-later
// Tooltips of a width that is read: Qt makes one line of a paragraph, up to the width of the screen.
#pragma once

#include <QObject>

namespace shardlab::ui {

/// For as long as it lives, tooltips of the application that would be wider than `most` pixels are wrapped at it.
class TipWidth final : public QObject {
    Q_OBJECT
public:
    static constexpr int most = 520;
    explicit TipWidth(QObject* parent = nullptr);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace shardlab::ui
