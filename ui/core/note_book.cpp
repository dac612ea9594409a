// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/note_book.h"

#include "ui/core/run_model.h"

#include <QDateTime>
#include <QTimer>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int mostTries = 5;
constexpr int saveAgainMilliseconds = 1000;

}  // namespace

NoteBook::NoteBook(const RunModel& model) : model_(model) {
    connect(&model_, &RunModel::reset, this, &NoteBook::changed);
    connect(&model_.report(), &RunReport::ended, this, &NoteBook::keepAll);
}

bool NoteBook::writable() const { return !model_.file().empty() && model_.report().end(); }

void NoteBook::set(std::vector<Note> notes) {
    now_.notes = std::move(notes);
    Q_EMIT changed();
}

void NoteBook::keepAll() {
    if (!writable()) return;
    now_.error.reset();
    bool any = false;
    for (Note& note : now_.notes) {
        if (note.id > 0) continue;
        any = true;
        if (const Status kept = keepNote(model_.file(), note); !kept) now_.error = kept.error();
    }
    // A run that has just ended may still be on its way to the disk.
    if (!now_.error) now_.tries = 0;
    else if (++now_.tries <= mostTries) QTimer::singleShot(saveAgainMilliseconds, this, &NoteBook::keepAll);
    if (any) Q_EMIT changed();
}

void NoteBook::add(std::int64_t time, int rank, const QString& text) {
    if (model_.empty() || text.trimmed().isEmpty()) return;
    Note note{0, time, rank, text.trimmed().toStdString(),
              QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString()};
    now_.notes.insert(std::ranges::upper_bound(now_.notes, time, {}, &Note::time), std::move(note));
    now_.tries = 0;
    keepAll();
    Q_EMIT changed();
}

void NoteBook::change(std::size_t index, const QString& text) {
    if (index >= now_.notes.size()) return;
    if (text.trimmed().isEmpty()) return remove(index);
    Note& note = now_.notes[index];
    note.text = text.trimmed().toStdString();
    now_.error.reset();
    if (note.id > 0)
        if (const Status kept = keepNote(model_.file(), note); !kept) now_.error = kept.error();
    Q_EMIT changed();
}

void NoteBook::remove(std::size_t index) {
    if (index >= now_.notes.size()) return;
    const Note& note = now_.notes[index];
    const Status dropped = note.id > 0 ? dropNote(model_.file(), note.id) : Status();
    now_.error = dropped ? std::nullopt : std::optional(dropped.error());
    if (dropped) now_.notes.erase(now_.notes.begin() + static_cast<std::ptrdiff_t>(index));
    Q_EMIT changed();
}

}  // namespace shardlab::ui
