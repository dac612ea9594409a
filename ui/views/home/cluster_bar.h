// SPDX-License-Identifier: GPL-3.0-or-later
// One sentence to fill in: which model on how many nodes of how many devices; then Plan for me.
#pragma once

#include "engine/layout/presets.h"
#include "engine/predict/search/cluster_layout.h"

#include <QWidget>

#include <vector>

class QComboBox;
class QPushButton;
class QSpinBox;

namespace shardlab::ui {

class HomeSession;

class ClusterBar : public QWidget {
    Q_OBJECT
public:
    ClusterBar(HomeSession& home, QWidget* parent);
    /// The models that can be chosen are the layout in Design and the presets for a cluster among these.
    void setPresets(const std::vector<Preset>& presets);
    QSpinBox& nodes() const { return *nodes_; }
    QSpinBox& devices() const { return *devices_; }
    QComboBox& device() const { return *device_; }
    QComboBox& model() const { return *model_; }
    QPushButton& planButton() const { return *plan_; }
    ClusterQuestion question() const;

private:
    void ask();
    /// The layout in Design, on a cluster of its hosts, whose devices are still to be chosen.
    void askOfDesign();
    void nameDesign();

    HomeSession& home_;
    QSpinBox* nodes_;
    QSpinBox* devices_;
    QComboBox* device_;
    QComboBox* model_;
    QPushButton* plan_;
    std::vector<Layout> layouts_;  ///< of the models, by their place in the list
};

}  // namespace shardlab::ui
