// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/candidates/candidate_preview.h"

#include "ui/core/child.h"
#include "ui/core/elided_label.h"
#include "ui/core/field_words.h"
#include "ui/core/search_session.h"
#include "ui/core/style_sheet.h"
#include "ui/core/words.h"
#include "ui/views/candidates/candidates_model.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace shardlab::ui {

CandidatePreview::CandidatePreview(const SearchSession& search, const CandidatesModel& candidates, QWidget* parent)
    : QWidget(parent), search_(search), candidates_(candidates), title_(child<ElidedLabel>(this)),
      figures_(child<ElidedLabel>(this)), changes_(child<ElidedLabel>(this)),
      take_(child<QPushButton>(tr("Take this layout"), this)) {
    setAccessibleName(tr("The selected candidate"));
    title_->setProperty("role", "title");
    figures_->setProperty("role", "small");
    changes_->setProperty("role", "small");
    changes_->setWordWrap(true);
    take_->setProperty("role", "primary");
    auto* words = child<QVBoxLayout>();
    words->setSpacing(1);
    words->addWidget(title_);
    words->addWidget(figures_);
    auto* row = child<QHBoxLayout>();
    row->setSpacing(8);
    row->addLayout(words, 1);
    row->addWidget(take_, 0, Qt::AlignVCenter);
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(10, 4, 8, 4);
    column->setSpacing(1);
    column->addLayout(row);
    column->addWidget(changes_);
    setLow(false);
    present(-1);
}

void CandidatePreview::setLow(bool low) {
    changes_->ensurePolished();
    changes_->setWordWrap(!low);
    changes_->setFixedHeight(changes_->fontMetrics().height() * (low ? 1 : ElidedLabel::mostLines));
}

void CandidatePreview::present(int row) {
    setVisible(candidates_.rowCount() > 0);
    if (row < 0) {
        title_->setText(tr("No candidate is selected"));
        figures_->setText(tr("Click one for its figures."));
        setRole(*figures_, "small");
        changes_->clear();
        take_->setEnabled(false);
        take_->setToolTip({});
        setToolTip({});
        return;
    }
    const Candidate& candidate = candidates_.at(row);
    const QString changes = changesText(search_.changesOf(candidate));
    title_->setText(candidates_.title(row));
    figures_->setText(candidate.fits ? candidates_.figures(row)
                                     : tr("does not fit · %1").arg(candidates_.figures(row)));
    setRole(*figures_, candidate.fits || search_.stale() ? "small" : "fault");
    QString words =
        changes.isEmpty() ? tr("This candidate is the layout as it is now.") : tr("Would set: %1.").arg(changes);
    if (!candidate.fits) words += tr(" Does not fit: %1.").arg(told(candidate.why));
    changes_->setText(words);
    take_->setEnabled(!changes.isEmpty());
    take_->setToolTip(changes.isEmpty()
                          ? tr("This candidate is the layout already.")
                          : tr("Makes this candidate the layout, in one step of undo (Enter, or a double click)."));
    setToolTip(candidates_.description(row) + QLatin1Char('\n') + words);
    setAccessibleDescription(text());
}

QString CandidatePreview::text() const {
    return QStringList{title_->text(), figures_->text(), changes_->text()}.join(QLatin1Char('\n'));
}

}  // namespace shardlab::ui
