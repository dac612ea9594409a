// SPDX-License-Identifier: GPL-3.0-or-later
// Where a run that goes on from a checkpoint comes from, and the losses of the run that wrote the checkpoint, where
// the file of that run still lies beside it.
#pragma once

#include "engine/trace/record/checkpoint_tally.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace shardlab::ui {

class RunModel;

class EarlierLosses : public QObject {
    Q_OBJECT
public:
    EarlierLosses(RunModel& model, QObject* parent);

    /// None: the run began anew, or nothing has been told of it yet.
    const std::optional<RunOrigin>& origin() const { return origin_; }
    /// "from step 12 of gpt-20261125-101500"; empty where the run began anew.
    QString text() const;
    /// Step and loss, ascending, of the steps before the run's own first; empty while they are read.
    const std::vector<std::pair<int, double>>& losses() const { return losses_; }

Q_SIGNALS:
    void changed();

private:
    void look();

    RunModel& model_;
    std::optional<RunOrigin> origin_;
    std::vector<std::pair<int, double>> losses_;
    std::uint64_t generation_ = 0;
};

}  // namespace shardlab::ui
