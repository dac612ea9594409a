// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/layout_form/stages_editor.h"

#include "ui/core/child.h"
#include "ui/core/document.h"
#include "ui/views/layout_form/calm_controls.h"
#include "ui/core/words.h"

#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "engine/predict/search/partition_layout.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int perRow = 4;
/// More stages than fit are split evenly, or edited in the file.
constexpr std::size_t mostBoxes = 64;

QString stageWords(const std::vector<int>& layers) {
    QStringList parts;
    for (const int count : layers) parts << QString::number(count);
    return parts.isEmpty() ? shardlab::ui::tr("even") : parts.join(QLatin1Char(' '));
}

/// Whether a split of the layers is all that could be wrong with the layout.
bool canBalance(Layout layout) {
    const int stages = stageCount(layout);
    if (stages < 2 || stages > layout.model.layers) return false;
    layout.schedule.stages.assign(static_cast<std::size_t>(stages), 1);
    layout.schedule.stages.front() += layout.model.layers - stages;
    return check(layout, scheduleMethods()).empty();
}

}  // namespace

StagesEditor::StagesEditor(const Field& field, IntegerListField access, Document& document, QWidget* parent)
    : FieldEditor(field, document, parent), access_(access), even_(child<QCheckBox>(tr("even"), this)) {
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    auto* top = child<QHBoxLayout>();
    top->addWidget(balance_ = child<QToolButton>(this));
    top->addStretch(1);
    top->addWidget(even_);
    column->addLayout(top);
    column->addLayout(grid_ = child<QGridLayout>());
    grid_->setSpacing(4);
    even_->setLayoutDirection(Qt::RightToLeft);
    name(*even_);
    setFocusProxy(even_);
    balance_->setText(tr("Balance"));
    balance_->setAccessibleName(tr("Balance stages"));
    balance_->setToolTip(tr("Split the layers so that the slowest stage is as fast as possible"));
    connect(balance_, &QToolButton::clicked, this, &StagesEditor::balance);
    connect(even_, &QCheckBox::toggled, this, [this](bool even) {
        const std::vector<int> layers = even ? std::vector<int>{} : split_;
        edit([&](Layout& layout) { access_(layout) = layers; }, stageWords(layers));
    });
}

void StagesEditor::setCount(std::size_t count) {
    while (boxes_.size() < count) {
        const int index = static_cast<int>(boxes_.size());
        auto* box = child<CalmSpinBox>(this);
        name(*box);
        box->setAccessibleName(tr("Layers of stage %1").arg(index));
        box->setToolTip(tr("Layers of stage %1").arg(index));
        connect(box, &QSpinBox::valueChanged, this, &StagesEditor::submit);
        box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);  // they share the width of a field
        grid_->addWidget(box, index / perRow, index % perRow);
        boxes_.push_back(box);
    }
    for (std::size_t index = 0; index < boxes_.size(); ++index) boxes_[index]->setVisible(index < count);
}

void StagesEditor::display(const Layout& layout) {
    const std::vector<int> given = value(layout, access_);
    const std::size_t stages = static_cast<std::size_t>(std::max(1, stageCount(layout)));
    const QSignalBlocker quiet(even_);
    even_->setChecked(given.empty());
    even_->setEnabled(stages <= mostBoxes || !given.empty());
    balance_->setEnabled(stages <= mostBoxes && canBalance(layout));
    split_ = given.empty() ? stageLayers(layout) : given;
    if (split_.empty()) {
        // Layers that do not divide: the first stages hold one more.
        const int count = static_cast<int>(std::min(stages, mostBoxes));
        for (int stage = 0; stage < count; ++stage)
            split_.push_back(layout.model.layers / count + (stage < layout.model.layers % count ? 1 : 0));
    }
    setCount(given.empty() ? 0 : std::min(given.size(), mostBoxes));
    for (std::size_t index = 0; index < std::min(given.size(), mostBoxes); ++index) {
        const QSignalBlocker still(boxes_[index]);
        if (boxes_[index]->value() != given[index]) boxes_[index]->setValue(given[index]);
    }
    // The list has as many boxes as the file says; where the pipeline has another length, check() names the fault and
    // switching "even" on and off gives the right number.
}

void StagesEditor::balance() {
    const Layout& layout = document().layout();
    if (!canBalance(layout)) return;
    const std::vector<int> layers = balancedStages(layout, Mesh(layout));
    edit([&](Layout& changed) { access_(changed) = layers; }, stageWords(layers));
}

void StagesEditor::submit() {
    std::vector<int> layers = split_;
    for (std::size_t index = 0; index < std::min(layers.size(), boxes_.size()); ++index)
        layers[index] = boxes_[index]->value();
    edit([&](Layout& layout) { access_(layout) = layers; }, stageWords(layers));
}

QWidget& StagesEditor::control() { return *even_; }

}  // namespace shardlab::ui
