// SPDX-License-Identifier: GPL-3.0-or-later
// What is predicted of a run: one step of all ranks. Views place it over each measured step.
#pragma once

#include "engine/trace/event/event.h"
#include "engine/trace/run_file/run_file.h"

#include <QObject>

#include <array>
#include <memory>
#include <vector>

namespace shardlab::ui {

struct StepAccount;

class Prediction : public QObject {
    Q_OBJECT
public:
    Prediction();
    ~Prediction() override;

    /// Ascending by begin.
    const std::vector<Event>& lane(int rank, Lane lane) const;
    std::vector<Event> events() const;  ///< of all lanes
    /// Nanoseconds from the step's begin; 0 where there is no prediction.
    std::int64_t end() const;
    std::int64_t firstForward() const;
    std::int64_t lastBackward() const;
    /// Memory over the step, and its critical path. Made where it is first asked for: at once where that is quick, else
    /// in the background, and accounted() tells. None where the header's layout is planned no longer.
    const StepAccount* account();

Q_SIGNALS:
    void accounted();

private:
    friend class RunModel;
    /// Begins anew; `header` is nullptr where there is no run.
    void begin(const RunHeader* header, std::vector<Event> events);

    struct Step;
    std::shared_ptr<Step> step_;
};

}  // namespace shardlab::ui
