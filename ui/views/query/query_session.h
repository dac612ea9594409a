// SPDX-License-Identifier: GPL-3.0-or-later
// A question to a run file in SQL, asked on a worker thread; its answer arrives while it is read.
#pragma once

#include "engine/trace/query/query.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardlab::ui {

class QuerySession : public QObject {
    Q_OBJECT
public:
    /// The rows that are kept; further ones are not read.
    static constexpr std::size_t mostRows = 10'000;

    explicit QuerySession(QObject* parent = nullptr);
    ~QuerySession() override;

    /// Runs a query; one that is under way is stopped.
    void ask(std::filesystem::path run, std::string sql);
    /// Stops the query and keeps the rows that have arrived.
    void cancel();
    /// Stops a query that runs, and forgets the result.
    void clear();

    bool running() const { return feed_ != nullptr; }
    bool answered() const { return answered_; }  ///< a query has run since the last clear()
    const std::vector<std::string>& columns() const { return columns_; }
    const std::vector<std::vector<Cell>>& rows() const { return rows_; }
    bool cut() const { return cut_; }  ///< there are more rows
    bool cancelled() const { return cancelled_; }
    const std::optional<Error>& error() const { return error_; }
    double seconds() const { return seconds_; }  ///< that the whole answer took

Q_SIGNALS:
    void changed();

private:
    /// Shared with the worker.
    struct Feed;
    void drain();
    void leave();

    std::shared_ptr<Feed> feed_;
    QTimer timer_;
    std::vector<std::string> columns_;
    std::vector<std::vector<Cell>> rows_;
    std::optional<Error> error_;
    double seconds_ = 0;
    bool cut_ = false;
    bool cancelled_ = false;
    bool answered_ = false;
};

}  // namespace shardlab::ui
