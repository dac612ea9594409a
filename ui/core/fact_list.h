// SPDX-License-Identifier: GPL-3.0-or-later
// Label and value in rows, values tabular and right-aligned: the answer, traffic, the selected action.
#pragma once

#include <QScrollArea>
#include <QString>

#include <vector>

class QLabel;
class QVBoxLayout;

namespace shardlab::ui {

struct Fact {
    QString label;
    QString value;
    const char* role = "figure";  ///< of the style sheet: figure, good, warning, bad
    QString help = {};            ///< tooltip
};

class FactList : public QScrollArea {
    Q_OBJECT
public:
    explicit FactList(QWidget* parent = nullptr);
    /// Rows are reused: a value that changes sixty times a second makes no widgets.
    void setFacts(const std::vector<Fact>& facts);
    QString asTable() const;
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;  ///< all facts in the width there is

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Row {
        QWidget* line;
        QLabel* label;
        QLabel* value;
        QString said;  ///< the value, which stands in several lines where there is no room
    };
    void addRow();
    void fit();

    QVBoxLayout* column_;
    std::vector<Row> rows_;
    std::size_t shown_ = 0;
};

}  // namespace shardlab::ui
