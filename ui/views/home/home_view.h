// SPDX-License-Identifier: GPL-3.0-or-later
// Where one begins: a cluster to plan for, presets to begin with, what was opened lately, lessons by chapter.
#pragma once

#include "ui/core/view.h"

namespace shardlab::ui {

class ChapterList;
class ClusterBar;
class PresetGallery;
class RecentList;

class HomeView : public View {
    Q_OBJECT
public:
    HomeView(const ViewContext& context, QWidget* parent);
    /// Presets, recent files and lessons, a line each.
    QString asTable() const override;
    QString emptyText() const override { return {}; }
    bool showsFields() const override { return true; }
    ClusterBar& cluster() const { return *cluster_; }
    PresetGallery& gallery() const { return *gallery_; }
    RecentList& recent() const { return *recent_; }
    ChapterList& chapters() const { return *chapters_; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    /// The cards are chosen with the arrows at once. A focus proxy would take what stands before it out of Tab's way.
    void focusInEvent(QFocusEvent* event) override;
    /// What the page lists is read once somebody looks.
    void showEvent(QShowEvent* event) override;

private:
    ClusterBar* cluster_ = nullptr;
    PresetGallery* gallery_ = nullptr;
    RecentList* recent_ = nullptr;
    ChapterList* chapters_ = nullptr;
    bool begun_ = false;
    QWidget* side_ = nullptr;  ///< the column of recent files and lessons
};

}  // namespace shardlab::ui
