// SPDX-License-Identifier: GPL-3.0-or-later
// Dialogs of files whose sizes and dates can be read: Qt gives each column the same width and cuts what is in it.
#pragma once

#include <QObject>

namespace shardlab::ui {

/// For as long as it lives, the columns beside the name are as wide in each dialog of the application as what is in
/// them, and the name has the rest.
class FileColumns final : public QObject {
    Q_OBJECT
public:
    static constexpr int width = 780;  ///< pixels that a dialog has at least
    explicit FileColumns(QObject* parent = nullptr);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace shardlab::ui
