// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/layout_form/faults_editor.h"

#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/views/layout_form/calm_controls.h"

#include "engine/layout/injected_fault.h"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr std::size_t mostLines = 64;
constexpr InjectedFaultKind kinds[]{InjectedFaultKind::Kill, InjectedFaultKind::Hang, InjectedFaultKind::Slow};

QString faultWords(const std::vector<std::string>& faults) {
    QStringList parts;
    for (const std::string& fault : faults) parts << QString::fromStdString(fault);
    return parts.isEmpty() ? FaultsEditor::tr("none") : parts.join(QStringLiteral(", "));
}

}  // namespace

FaultsEditor::FaultsEditor(const Field& field, TextListField access, Document& document, QWidget* parent)
    : FieldEditor(field, document, parent), access_(access), column_(child<QVBoxLayout>(this)),
      add_(child<QToolButton>(this)) {
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(4);
    add_->setText(tr("+ fault"));
    add_->setProperty("role", "flat");
    add_->setFocusPolicy(Qt::StrongFocus);
    name(*add_);
    auto* below = child<QHBoxLayout>();
    below->addStretch(1);
    below->addWidget(add_);
    column_->addLayout(below);
    setFocusProxy(add_);
    connect(add_, &QToolButton::clicked, this, [this] {
        const Layout& layout = this->document().layout();
        const InjectedFault next{InjectedFaultKind::Kill, std::max(0, rankCount(layout) - 1), layout.run.steps / 2};
        change([&](std::vector<std::string>& faults) { faults.push_back(toText(next)); });
    });
}

void FaultsEditor::change(const std::function<void(std::vector<std::string>&)>& apply) {
    Layout changed = document().layout();
    apply(access_(changed));
    const std::vector<std::string> faults = access_(changed);
    edit([&](Layout& layout) { access_(layout) = faults; }, faultWords(faults));
}

void FaultsEditor::submit(std::size_t index) {
    const Line& line = lines_[index];
    InjectedFault fault{kinds[std::max(0, line.kind->currentIndex())], line.rank->value(), line.after->value()};
    if (!fault.happensOnce()) fault.factor = line.factor->value();
    change([&](std::vector<std::string>& faults) {
        if (index < faults.size()) faults[index] = toText(fault);
    });
}

void FaultsEditor::addLine() {
    const std::size_t index = lines_.size();
    Line line{child<QWidget>(this), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
    auto* row = child<QHBoxLayout>(line.row);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(line.parts = child<QWidget>(line.row), 1);
    row->addWidget(line.text = child<QLineEdit>(line.row), 1);
    row->addWidget(line.remove = child<QToolButton>(line.row), 0, Qt::AlignTop);
    auto* parts = child<QVBoxLayout>(line.parts);
    parts->setContentsMargins(0, 0, 0, 0);
    parts->setSpacing(4);
    auto* what = child<QHBoxLayout>();
    auto* when = child<QHBoxLayout>();
    for (QHBoxLayout* each : {what, when}) {
        each->setSpacing(4);
        parts->addLayout(each);
    }
    what->addWidget(line.kind = child<CalmComboBox>(line.parts), 1);
    what->addWidget(line.factor = child<Calm<QDoubleSpinBox>>(line.parts));
    when->addWidget(child<QLabel>(tr("rank"), line.parts));
    when->addWidget(line.rank = child<CalmSpinBox>(line.parts), 1);
    when->addWidget(child<QLabel>(tr("after"), line.parts));
    when->addWidget(line.after = child<CalmSpinBox>(line.parts), 1);
    when->addWidget(child<QLabel>(tr("steps"), line.parts));
    for (const InjectedFaultKind kind : kinds) line.kind->addItem(QString::fromUtf8(layout::name(kind).data()));
    line.factor->setPrefix(tr("× "));
    line.factor->setRange(1, largestSlowdown);
    line.factor->setDecimals(2);
    line.factor->setButtonSymbols(QAbstractSpinBox::NoButtons);
    line.factor->setAlignment(Qt::AlignRight);
    line.factor->setFixedWidth(84);
    line.kind->setAccessibleName(tr("What happens, fault %1").arg(index));
    line.kind->setToolTip(tr("kill: the process dies. hang: the process stands still. slow: the process computes more "
                             "slowly from then on, by a factor"));
    line.rank->setAccessibleName(tr("Rank of fault %1").arg(index));
    line.rank->setToolTip(tr("The rank that the fault happens to"));
    line.after->setAccessibleName(tr("Steps before fault %1").arg(index));
    line.after->setToolTip(tr("The number of steps before the fault, which happens as the next step begins"));
    line.factor->setAccessibleName(tr("Slowdown of fault %1").arg(index));
    line.factor->setToolTip(tr("The factor by which computing takes longer from then on"));
    line.text->setAccessibleName(tr("Text of fault %1").arg(index));
    line.remove->setText(QStringLiteral("✕"));
    line.remove->setProperty("role", "flat");
    line.remove->setAccessibleName(tr("Remove fault %1").arg(index));
    line.remove->setToolTip(tr("Remove this fault"));
    line.remove->setFocusPolicy(Qt::StrongFocus);
    connect(line.kind, &QComboBox::activated, this, [this, index] { submit(index); });
    connect(line.rank, &QSpinBox::valueChanged, this, [this, index] { submit(index); });
    connect(line.after, &QSpinBox::valueChanged, this, [this, index] { submit(index); });
    connect(line.factor, &QDoubleSpinBox::valueChanged, this, [this, index] { submit(index); });
    connect(line.text, &QLineEdit::textEdited, this, [this, index](const QString& text) {
        change([&](std::vector<std::string>& faults) {
            if (index < faults.size()) faults[index] = text.toStdString();
        });
    });
    connect(line.remove, &QToolButton::clicked, this, [this, index] {
        change([&](std::vector<std::string>& faults) {
            if (index < faults.size()) faults.erase(faults.begin() + static_cast<std::ptrdiff_t>(index));
        });
    });
    column_->insertWidget(static_cast<int>(index), line.row);
    lines_.push_back(line);
}

void FaultsEditor::show(const Line& line, const std::string& text) {
    const Result<InjectedFault> fault = parseInjectedFault(text);
    // Who is writing a text goes on writing it, also where it can be read by now.
    const bool asText = !fault || line.text->hasFocus();
    line.text->setVisible(asText);
    line.parts->setVisible(!asText);
    if (const QString whole = QString::fromStdString(text); line.text->text() != whole) line.text->setText(whole);
    if (!fault) return;
    const QSignalBlocker still[]{QSignalBlocker(line.rank), QSignalBlocker(line.after), QSignalBlocker(line.factor)};
    line.kind->setCurrentIndex(static_cast<int>(fault->kind));
    if (line.rank->value() != fault->rank) line.rank->setValue(fault->rank);
    if (line.after->value() != fault->after) line.after->setValue(fault->after);
    if (!fault->happensOnce() && line.factor->value() != fault->factor) line.factor->setValue(fault->factor);
    line.factor->setVisible(!fault->happensOnce());
}

void FaultsEditor::display(const Layout& layout) {
    const std::vector<std::string> faults = value(layout, access_);
    const std::size_t shown = std::min(faults.size(), mostLines);
    while (lines_.size() < shown) addLine();
    for (std::size_t index = 0; index < lines_.size(); ++index) {
        lines_[index].row->setVisible(index < shown);
        if (index < shown) show(lines_[index], faults[index]);
    }
    add_->setEnabled(faults.size() < mostLines);
}

QWidget& FaultsEditor::control() { return *add_; }

}  // namespace shardlab::ui
