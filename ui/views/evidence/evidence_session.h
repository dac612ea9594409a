// SPDX-License-Identifier: GPL-3.0-or-later
// Published runs and what is predicted of them: predicted once, on another thread, and kept.
#pragma once

#include "engine/predict/evidence/validation.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace shardlab::ui {

class EvidenceSession : public QObject {
    Q_OBJECT
public:
    EvidenceSession(std::filesystem::path file, QObject* parent);
    ~EvidenceSession() override;

    /// Predicts the runs that are not predicted yet.
    void start();
    /// Keeps what was predicted so far; start() goes on there.
    void cancel();

    bool running() const { return feed_ != nullptr; }
    bool complete() const { return total_ > 0 && rows_.size() == total_; }
    /// Runs of the table; 0 until it was read.
    std::size_t total() const { return total_; }
    /// The first runs of the table, as many as are predicted.
    const std::vector<ValidatedRow>& rows() const { return rows_; }
    /// Why the table cannot be read.
    const std::optional<Error>& error() const { return error_; }

Q_SIGNALS:
    /// Rows, their number, the error, or whether it runs.
    void changed();

private:
    /// Shared with the worker.
    struct Feed;
    void drain();

    std::filesystem::path file_;
    std::shared_ptr<Feed> feed_;
    std::vector<ValidatedRow> rows_;
    std::size_t total_ = 0;
    std::optional<Error> error_;
    QTimer timer_;
};

}  // namespace shardlab::ui
