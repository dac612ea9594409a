// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/notes/notes_view.h"

#include "engine/base/units.h"
#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/core/field_words.h"
#include "ui/core/theme.h"
#include "ui/views/notes/step_overhead_session.h"
#include "ui/views/notes/nearest_session.h"
#include "ui/views/notes/reasons.h"
#include "ui/core/text.h"
#include "ui/core/unbroken.h"
#include "ui/core/words.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

namespace shardlab::ui {

namespace {

const QString betterLink = QStringLiteral("better:");
const QString nearestLink = QStringLiteral("nearest:");

}  // namespace

NotesView::NotesView(const ViewContext& context, QWidget* parent)
    : View(context, parent), overheads_(child<StepOverheadSession>(context.document, this)),
      nearest_(child<NearestSession>(context.document, this)), text_(child<QLabel>()) {
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    auto* area = child<QScrollArea>(this);
    area->setWidget(text_);
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(area);
    text_->setTextFormat(Qt::RichText);
    text_->setWordWrap(true);
    text_->setMargin(12);
    text_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    text_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    connect(text_, &QLabel::linkActivated, this, [this](const QString& link) {
        if (link.startsWith(betterLink))
            overheads_->take(static_cast<std::size_t>(link.mid(betterLink.size()).toInt()));
        else if (link == nearestLink) nearest_->take();
        else context_.document.requestField(link);
    });
    connect(overheads_, &StepOverheadSession::changed, this, &NotesView::refresh);
    connect(nearest_, &NearestSession::changed, this, &NotesView::refresh);
    connect(&context_.document, &Document::planChanged, this, &NotesView::refresh);
    connect(&context_.theme, &ThemeSource::changed, this, &NotesView::refresh);
    refresh();
}

void NotesView::refresh() {
    const Theme& theme = context_.theme.theme();
    const Document& document = context_.document;
    QString rich;
    plain_ = tr("What\tWhy\n");
    const auto add = [&](const QString& title, const QString& why, const QColor& colour, const QString& after = {}) {
        rich += QStringLiteral("<p style='margin:0 0 10px 0'><span style='color:%1;font-weight:600'>%2</span>"
                               "%3%4</p>")
                    .arg(colour.name(), unbroken(title).toHtmlEscaped(),
                         why.isEmpty() ? QString()
                                       : QStringLiteral("<br><span style='color:%1'>%2</span>")
                                             .arg(theme.dim.name(), unbroken(why).toHtmlEscaped()),
                         after);
        plain_ += title + QLatin1Char('\t') + why + QLatin1Char('\n');
    };
    if (!document.faults().empty() && nearest_->nearest())
        add(tr("Nearest legal layout"), changesText(nearest_->nearest()->changes), theme.text,
            QStringLiteral("<br><a href='%1' style='color:%2'>%3</a>")
                .arg(nearestLink, theme.accent.name(), tr("Take it")));
    for (const Fault& fault : document.faults()) {
        const QString pointer = QString::fromStdString(fault.pointer);
        add(told(fault.what), faultReason(fault), theme.bad,
            QStringLiteral(" <a href='%1' style='color:%2'>%3</a>")
                .arg(pointer.toHtmlEscaped(), theme.accent.name(), fieldLabel(fault.pointer).toHtmlEscaped()));
    }
    if (document.planIsCurrent() && document.plan())
        for (const Reason& reason : reasons(*document.plan(), overheads_->bubble()))
            add(reason.title, reason.why, reason.serious ? theme.bad : theme.text);
    for (std::size_t i = 0; i < overheads_->overheads().size(); ++i) {
        const StepOverhead& overhead = overheads_->overheads()[i];
        const QString title = tr("Slower by %1: %2").arg(percent(overhead.share), term(name(overhead.kind)));
        QString take;
        if (overhead.better)
            take = QStringLiteral("<br><a href='%1%2' style='color:%3'>%4</a>")
                       .arg(betterLink)
                       .arg(i)
                       .arg(theme.accent.name(), tr("Take %1").arg(told(toText(*overhead.better))).toHtmlEscaped());
        add(title, wholeSentence(told(overhead.why)), theme.warning, take);
        if (overhead.better) plain_ += tr("better\t%1\n").arg(told(toText(*overhead.better)));
    }
    text_->setText(rich);
    Q_EMIT subtitleChanged();
}

QString NotesView::subtitle() const {
    const std::size_t faults = context_.document.faults().size();
    if (faults == 0) return tr("what the figures follow from");
    return counted(faults, tr("1 fault to mend"), tr("%1 faults to mend"));
}

QString NotesView::asTable() const { return plain_; }

}  // namespace shardlab::ui
