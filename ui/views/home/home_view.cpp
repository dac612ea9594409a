// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/home/home_view.h"

#include "ui/core/child.h"
#include "ui/core/home_session.h"
#include "ui/core/text.h"
#include "ui/views/home/chapter_list.h"
#include "ui/views/home/cluster_bar.h"
#include "ui/views/home/preset_gallery.h"
#include "ui/views/home/recent_list.h"
#include "ui/core/words.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QListWidget>
#include <QResizeEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace shardlab::ui {
namespace {

constexpr int leastSide = 340, mostSide = 620, sideShare = 3;  ///< a part of the width

}  // namespace

HomeView::HomeView(const ViewContext& context, QWidget* parent) : View(context, parent) {
    const auto framed = [this](auto*& slot, auto make) {
        auto* frame = child<QFrame>(this);
        frame->setProperty("role", "panel");
        auto* inside = child<QVBoxLayout>(frame);
        inside->setContentsMargins(0, 0, 0, 0);
        slot = make(frame);
        inside->addWidget(slot);
        return frame;
    };
    HomeSession& home = *context.home;
    ThemeSource& theme = context.theme;
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(framed(cluster_, [&](QWidget* in) { return child<ClusterBar>(home, in); }));
    auto* row = child<QHBoxLayout>();
    row->setSpacing(8);
    column->addLayout(row, 1);
    row->addWidget(framed(gallery_, [&](QWidget* in) { return child<PresetGallery>(theme, in); }), 1);
    side_ = child<QWidget>(this);
    auto* lists = child<QVBoxLayout>(side_);
    lists->setContentsMargins(0, 0, 0, 0);
    lists->setSpacing(8);
    lists->addWidget(framed(recent_, [&](QWidget* in) { return child<RecentList>(home, theme, in); }), 1);
    lists->addWidget(framed(chapters_, [&](QWidget* in) { return child<ChapterList>(home, theme, in); }), 1);
    row->addWidget(side_);
    connect(gallery_, &PresetGallery::chosen, this,
            [&home](const Preset& preset) { home.askForLayout(preset.layout); });
}

void HomeView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    side_->setFixedWidth(std::clamp(event->size().width() / sideShare, leastSide, mostSide));
}

void HomeView::focusInEvent(QFocusEvent*) { gallery_->cards().setFocus(Qt::OtherFocusReason); }

void HomeView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    if (std::exchange(begun_, true)) return;
    recent_->begin();
    chapters_->begin();
    // What cannot be read is said once, by the commands that are made of the same presets.
    auto known = presets();
    if (!known) return;
    cluster_->setPresets(*known);
    gallery_->setPresets(std::move(*known));
}

QString HomeView::asTable() const {
    QString table = tr("What\tName\tIn words\n");
    for (const Preset& preset : gallery_->presets())
        table += tr("preset\t%1\t%2: %3\n").arg(text(preset.name), term(preset.family), term(preset.summary));
    const auto add = [&table](const QString& what, const QString& lines) {
        for (const QString& line : lines.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
            table += what + QLatin1Char('\t') + line + QLatin1Char('\n');
    };
    add(tr("recent"), recent_->asTable());
    add(tr("lesson"), chapters_->asTable());
    return table;
}

}  // namespace shardlab::ui
