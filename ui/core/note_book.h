// SPDX-License-Identifier: GPL-3.0-or-later
// Notes of a model's run: kept in its file, at once where the run has ended, else when it ends.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/run_file/notes.h"

#include <QObject>
#include <QString>

#include <optional>

namespace shardlab::ui {

class RunModel;

class NoteBook : public QObject {
    Q_OBJECT
public:
    explicit NoteBook(RunModel& model, QObject* parent = nullptr);

    /// An empty text writes nothing.
    void add(std::int64_t time, int rank, const QString& text);
    /// `index` into the model's notes. An empty text takes the note away.
    void change(std::size_t index, const QString& text);
    void remove(std::size_t index);
    /// Why the last note could not be kept in the file.
    const std::optional<Error>& error() const { return error_; }

Q_SIGNALS:
    void changed();

private:
    /// False while the run goes on, or has no file.
    bool writable() const;
    void keepAll();

    RunModel& model_;
    std::optional<Error> error_;
    int tries_ = 0;  ///< to keep what could not be kept
};

}  // namespace shardlab::ui
