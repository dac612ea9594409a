// SPDX-License-Identifier: GPL-3.0-or-later
// What stands in a view's place while it has nothing to show: what the view shows, and why it shows nothing. Where
// there is no room for both, the first is left out, then the lines are joined; the tooltip has what is left out.
#pragma once

#include <QLabel>

namespace shardlab::ui {

class Hint : public QLabel {
public:
    explicit Hint(QWidget* parent = nullptr);
    /// Empty: nothing is said.
    void setText(const QString& shows, const QString& why);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();

    QString shows_, why_;
};

}  // namespace shardlab::ui
