// SPDX-License-Identifier: GPL-3.0-or-later
// One bar a kind of kernel: the least that the machine allows it, then what it takes beyond.
#pragma once

#include "engine/predict/plan/kernel_account.h"
#include "ui/core/words_at.h"

#include <QString>
#include <QWidget>

namespace shardlab::ui {

class ThemeSource;

class KernelBars : public QWidget, public WordsAt {
    Q_OBJECT
public:
    KernelBars(ThemeSource& theme, QWidget* parent);
    QString wordsAt(const QPoint& at) const override;
    void setAccount(KernelAccount account);
    /// The figures as they are written beside the bars.
    QStringList figures() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Row {
        QString label, figure, help;
        double seconds = 0;
        double least = 0;
        bool byProducts = false;  ///< the least is that of products, not of memory
    };
    Row rowOf(const KernelProfile& kernel, const KernelAccount& account) const;
    int widest(const QFont& font, QString Row::*text) const;
    void paintBar(QPainter& painter, const Row& row, const QRectF& bar, double scale) const;

    ThemeSource& theme_;
    std::vector<Row> rows_;
};

}  // namespace shardlab::ui
