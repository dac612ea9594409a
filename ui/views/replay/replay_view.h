// SPDX-License-Identifier: GPL-3.0-or-later
// Replay's controls: play, pause, speed, scrub, step by step.
#pragma once

#include "ui/core/throttle.h"
#include "ui/core/view.h"

#include <functional>

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace shardlab::ui {

class Player;

class ReplayView : public View {
    Q_OBJECT
public:
    ReplayView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    /// Always empty: the controls are shown, greyed out, before a run is open.
    QString emptyText() const override { return {}; }
    Player& player() { return *player_; }
    QSlider& slider() { return *slider_; }
    QToolButton& playButton() { return *play_; }
    QComboBox& speedBox() { return *speed_; }
    QString moment() const;
    void flush() { refresh_.flush(); }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void drawIcons();

    Player* player_;
    QToolButton* back_;
    QToolButton* play_;
    QToolButton* forward_;
    QSlider* slider_;
    QComboBox* speed_;
    QLabel* moment_;
    Throttle refresh_;
    bool drawnPlaying_ = false;
};

}  // namespace shardlab::ui
