// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/core/search_session.h"

#include <QAbstractTableModel>

#include <utility>

namespace shardlab::ui {

class ThemeSource;

/// The session's candidates, best first. Those that do not fit are grey and say why in their tooltip; the one that is
/// the document's layout is bold. All are grey while the layout has faults.
class CandidatesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// What a column is sorted by: figures instead of their text.
    static constexpr int sortRole = Qt::UserRole;
    enum Column { Degrees, Schedule, Micro, Throughput, Bubble, Peak, columns };

    CandidatesModel(const SearchSession& search, ThemeSource& theme, QObject* parent);
    /// The session's candidates have changed.
    void refresh();
    const Candidate& at(int row) const { return candidates_[static_cast<std::size_t>(row)]; }
    /// -1: not among them.
    int rowOf(const Choice& choice) const;
    /// The first `rows` are within the band of the fastest, whose width in words is `band`: published runs do not tell
    /// which of them is best.
    void setBand(int rows, const QString& band);
    bool withinBand(int row) const { return bandRows_ > 1 && row < bandRows_; }
    /// The longest text of a column, in any row.
    QString longest(int column) const;
    /// "4·2 · zb-v · microbatch 1 (48 a step)"
    QString title(int row) const;
    /// "step 755 ms · 86.8 k tokens/s · bubble 3.1 % · peak 78.9 GiB"
    QString figures(int row) const;
    /// All of one candidate in words, for tooltips.
    QString description(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString cellText(const Candidate& candidate, int column) const;
    static QVariant sortKey(const Candidate& candidate, int column);

    const SearchSession& search_;
    ThemeSource& theme_;
    std::vector<Candidate> candidates_;
    std::pair<const char*, double> unit_{"GiB", 1073741824.0};
    QString longestDegrees_, longestSchedule_;
    int loaded_ = -1;
    int bandRows_ = 0;
    QString band_;
};

}  // namespace shardlab::ui
