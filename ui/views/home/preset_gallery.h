// SPDX-License-Identifier: GPL-3.0-or-later
// The presets as cards, by family: a sketch of the schedule, the name, a line of what it is; and a field to find one.
#pragma once

#include "engine/layout/presets.h"

#include <QWidget>

#include <vector>

class QLineEdit;
class QListWidget;

namespace shardlab::ui {

class ThemeSource;

class PresetGallery : public QWidget {
    Q_OBJECT
public:
    PresetGallery(ThemeSource& theme, QWidget* parent);
    void setPresets(std::vector<Preset> presets);
    const std::vector<Preset>& presets() const { return presets_; }
    QLineEdit& search() const { return *search_; }
    QListWidget& cards() const { return *cards_; }
    /// The preset of a row of the cards; nullptr where the row is a heading.
    const Preset* at(int row) const;
    /// The keyboard is where Enter opens the current card.
    bool enterOpens() const;

Q_SIGNALS:
    void chosen(const shardlab::layout::Preset& preset);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill();
    void choose(int row);
    void fit();

    ThemeSource& theme_;
    QLineEdit* search_;
    QListWidget* cards_;
    std::vector<Preset> presets_;
};

}  // namespace shardlab::ui
