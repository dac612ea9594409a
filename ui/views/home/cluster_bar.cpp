// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/home/cluster_bar.h"

#include "ui/core/child.h"
#include "ui/core/elided_combo_box.h"
#include "ui/core/document.h"
#include "ui/core/home_session.h"
#include "ui/core/text.h"
#include "ui/core/ui_thread.h"

#include "engine/base/most_ranks.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QSpinBox>
#include <QThreadPool>

namespace shardlab::ui {
namespace {

constexpr int mostDevices = 72;  // of a node: a rack of GB200
constexpr auto firstDevice = "h100-sxm";

}  // namespace

ClusterBar::ClusterBar(HomeSession& home, QWidget* parent)
    : QWidget(parent), home_(home), nodes_(child<QSpinBox>(this)), devices_(child<QSpinBox>(this)),
      device_(child<ElidedComboBox>(this)), model_(child<ElidedComboBox>(this)),
      plan_(child<QPushButton>(tr("Plan for me"), this)) {
    auto* row = child<QHBoxLayout>(this);
    row->setContentsMargins(14, 8, 12, 8);
    row->setSpacing(8);
    const auto word = [&](const QString& text, const char* role) {
        auto* label = child<QLabel>(text, this);
        label->setProperty("role", role);
        row->addWidget(label);
        return label;
    };
    word(tr("Plan for which cluster?"), "title");
    row->addSpacing(10);
    word(tr("Train"), "dim")->setBuddy(model_);
    row->addWidget(model_, 3);
    word(tr("on"), "dim")->setBuddy(nodes_);
    row->addWidget(nodes_);
    word(tr("nodes ×"), "dim")->setBuddy(devices_);
    row->addWidget(devices_);
    device_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    model_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    device_->setMinimumContentsLength(5);
    model_->setMinimumContentsLength(5);
    row->addWidget(device_, 4);
    row->addWidget(plan_);
    plan_->setProperty("role", "primary");
    plan_->setToolTip(tr("Open this model on this cluster in Design, and try every legal layout there"));
    const auto limitNodes = [this] { nodes_->setRange(1, mostRanks / devices_->value()); };
    connect(devices_, &QSpinBox::valueChanged, this, limitNodes);
    nodes_->setValue(ClusterQuestion{}.nodes);
    nodes_->setAccessibleName(tr("Nodes"));
    for (QSpinBox* number : {nodes_, devices_}) number->setButtonSymbols(QAbstractSpinBox::NoButtons);
    devices_->setRange(1, mostDevices);
    devices_->setValue(ClusterQuestion{}.devices);
    limitNodes();
    devices_->setAccessibleName(tr("Devices of a node"));
    device_->setAccessibleName(tr("Device"));
    model_->setAccessibleName(tr("Model"));
    for (const DevicePreset& device : clusterDevices()) device_->addItem(text(device.title), text(device.name));
    device_->setCurrentIndex(std::max(0, device_->findData(QLatin1String(firstDevice))));
    connect(plan_, &QPushButton::clicked, this, &ClusterBar::ask);
    connect(&home, &HomeSession::clusterWanted, this, &ClusterBar::askOfDesign);
    connect(&home.document(), &Document::layoutChanged, this, &ClusterBar::nameDesign);
    setPresets({});
}

void ClusterBar::nameDesign() {
    model_->setItemText(0, tr("%1 (in Design)").arg(text(home_.document().layout().name)));
}

void ClusterBar::setPresets(const std::vector<Preset>& presets) {
    model_->clear();
    model_->addItem(QString());
    nameDesign();
    layouts_.clear();
    for (const Preset& preset : presets) {
        if (!isForACluster(preset.layout)) continue;
        model_->addItem(text(preset.layout.name), text(preset.name));
        layouts_.push_back(preset.layout);
    }
    model_->setCurrentIndex(std::max(0, model_->findData(QStringLiteral("llama3-8b"))));
}

ClusterQuestion ClusterBar::question() const {
    return {nodes_->value(), devices_->value(), device_->currentData().toString().toStdString()};
}

void ClusterBar::askOfDesign() {
    const std::vector<HostSpec>& hosts = home_.document().layout().cluster.hosts;
    model_->setCurrentIndex(0);
    nodes_->setValue(static_cast<int>(hosts.size()));
    if (!hosts.empty()) devices_->setValue(hosts.front().devices);
    device_->setFocus(Qt::OtherFocusReason);
}

void ClusterBar::ask() {
    const int model = model_->currentIndex();
    if (model < 0) return;
    plan_->setEnabled(false);
    const Layout chosen =
        model == 0 ? home_.document().resolvedLayout() : layouts_[static_cast<std::size_t>(model) - 1];
    QThreadPool::globalInstance()->start([bar = QPointer(this), layout = chosen, cluster = question()] {
        onUserInterface([bar, asked = layoutOn(layout, cluster)] {
            if (!bar) return;
            bar->plan_->setEnabled(true);
            bar->home_.askForPlan(asked);
        });
    });
}

}  // namespace shardlab::ui
