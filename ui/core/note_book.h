// SPDX-License-Identifier: GPL-3.0-or-later
// The notes of a run: kept in its file, at once where the run has ended, else when it ends.
#pragma once

#include "engine/base/result.h"
#include "engine/trace/run_file/notes.h"

#include <QObject>
#include <QString>

#include <optional>
#include <vector>

namespace shardlab::ui {

class RunModel;

class NoteBook : public QObject {
    Q_OBJECT
public:
    explicit NoteBook(const RunModel& model);

    const std::vector<Note>& all() const { return now_.notes; }  ///< ascending by time
    void set(std::vector<Note> notes);
    /// An empty text writes nothing.
    void add(std::int64_t time, int rank, const QString& text);
    /// `index` into all(). An empty text takes the note away.
    void change(std::size_t index, const QString& text);
    void remove(std::size_t index);
    /// Why the last note could not be kept in the file.
    const std::optional<Error>& error() const { return now_.error; }

Q_SIGNALS:
    void changed();

private:
    friend class RunModel;
    /// False while the run goes on, or has no file.
    bool writable() const;
    void keepAll();

    const RunModel& model_;
    struct Notes {
        std::vector<Note> notes;
        std::optional<Error> error;
        int tries = 0;  ///< to keep what could not be kept
    };
    Notes now_;
};

}  // namespace shardlab::ui
