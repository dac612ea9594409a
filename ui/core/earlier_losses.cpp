// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/earlier_losses.h"

#include "ui/core/run_model.h"
#include "ui/core/stored_steps.h"
#include "ui/core/text.h"
#include "ui/core/ui_thread.h"

#include <QPointer>
#include <QThreadPool>

#include <cmath>
#include <filesystem>

namespace shardlab::ui {
namespace {

/// The run whose own folder of checkpoints the checkpoint lies in (checkpointFolder()).
std::filesystem::path runOf(const RunOrigin& origin) {
    return std::filesystem::path(origin.checkpoint).parent_path().replace_extension(".shardlab");
}

std::vector<std::pair<int, double>> lossesBefore(const std::filesystem::path& file, std::int64_t step) {
    std::vector<std::pair<int, double>> losses;
    const auto run = RunReader::open(file);
    const auto steps = run ? readSteps(**run) : fail(run.error());
    if (!steps) return losses;
    for (const StepSummary& each : steps->steps)
        if (!std::isnan(each.loss) && each.step < step) losses.emplace_back(each.step, each.loss);
    return losses;
}

}  // namespace

EarlierLosses::EarlierLosses(RunModel& model, QObject* parent) : QObject(parent), model_(model) {
    connect(&model, &RunModel::reset, this, &EarlierLosses::look);
    connect(&model.report(), &RunReport::logged, this, [this] {
        if (!origin_) look();  // it is told once
    });
    look();
}

void EarlierLosses::look() {
    auto origin = model_.empty() ? std::nullopt : originOf(model_.report().log());
    if (!origin && !origin_) return;
    ++generation_;
    losses_.clear();
    origin_ = std::move(origin);
    Q_EMIT changed();
    if (!origin_ || runOf(*origin_) == model_.file()) return;
    QThreadPool::globalInstance()->start(
        [self = QPointer(this), generation = generation_, file = runOf(*origin_), step = origin_->step] {
            onUserInterface([self, generation, losses = lossesBefore(file, step)]() mutable {
                if (!self || self->generation_ != generation) return;
                self->losses_ = std::move(losses);
                Q_EMIT self->changed();
            });
        });
}

QString EarlierLosses::text() const {
    return origin_ ? tr("from step %1 of %2").arg(origin_->step).arg(ui::text(runOf(*origin_).stem())) : QString();
}

}  // namespace shardlab::ui
