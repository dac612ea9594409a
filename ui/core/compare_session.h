// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the opened run with its own prediction or with another run: reads the other run for the views, and has the
// differences computed from the files on a worker thread.
#pragma once

#include "engine/trace/analysis/run_comparison.h"
#include "engine/base/result.h"
#include "ui/core/replay_session.h"
#include "ui/core/run_model.h"
#include "ui/core/selection.h"

#include <QObject>

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>

namespace shardlab::ui {

class CompareSession : public QObject {
    Q_OBJECT
public:
    enum class With { Nothing, Prediction, Run };

    /// `subject`: the opened run's model. Another run in it ends the comparison.
    explicit CompareSession(RunModel& subject, QObject* parent = nullptr);
    ~CompareSession() override;

    /// What was predicted is A, what was measured is B. `quietly`: nobody asked to see it large.
    void compareWithPrediction(bool quietly = false);
    /// The opened run is A, this one is B.
    void compareWith(std::filesystem::path file);
    void end();
    /// Whoever can show a dialog is to ask for a run and compare with it.
    void askForRun();

    With with() const { return with_; }
    const std::filesystem::path& file() const { return file_; }  ///< of the other run; empty: none
    /// The prediction, or the other run.
    RunModel& other() { return other_; }
    Selection& otherSelection() { return otherSelection_; }
    /// Differences are being computed, or the other run is being read.
    bool working() const { return stop_ != nullptr || reader_.reading(); }
    const std::optional<RunComparison>& comparison() const { return comparison_; }
    const std::optional<Error>& error() const { return error_; }

Q_SIGNALS:
    void changed();
    void runWanted();
    /// Somebody wants to see the comparison.
    void requested();

private:
    void begin(With with, std::filesystem::path file);
    void leave();
    void take(const std::shared_ptr<std::atomic<bool>>& stop, std::optional<RunComparison> comparison,
              std::optional<Error> error);

    RunModel& subject_;
    RunModel other_;
    Selection otherSelection_;
    ReplaySession reader_;
    With with_ = With::Nothing;
    std::filesystem::path file_;
    std::shared_ptr<std::atomic<bool>> stop_;  ///< of the work under way
    std::optional<RunComparison> comparison_;
    std::optional<Error> error_;
};

}  // namespace shardlab::ui
