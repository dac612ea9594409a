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

NoteBook::NoteBook(RunModel& model, QObject* parent) : QObject(parent), model_(model) {
    connect(&model_, &RunModel::ended, this, &NoteBook::keepAll);
    connect(&model_, &RunModel::notesChanged, this, &NoteBook::changed);
    connect(&model_, &RunModel::reset, this, [this] {
        error_.reset();
        Q_EMIT changed();
    });
}

bool NoteBook::writable() const { return !model_.empty() && !model_.file().empty() && model_.end(); }

void NoteBook::keepAll() {
    if (!writable()) return;
    error_.reset();
    std::vector<Note> notes = model_.notes();
    bool any = false;
    for (Note& note : notes) {
        if (note.id > 0) continue;
        any = true;
        if (const Status kept = keepNote(model_.file(), note); !kept) error_ = kept.error();
    }
    if (any) model_.setNotes(std::move(notes));
    // A run that has just ended may still be on its way to the disk.
    if (!error_) tries_ = 0;
    else if (++tries_ <= mostTries) QTimer::singleShot(saveAgainMilliseconds, this, &NoteBook::keepAll);
}

void NoteBook::add(std::int64_t time, int rank, const QString& text) {
    if (model_.empty() || text.trimmed().isEmpty()) return;
    std::vector<Note> notes = model_.notes();
    Note note{0, time, rank, text.trimmed().toStdString(),
              QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString()};
    notes.insert(std::ranges::upper_bound(notes, time, {}, &Note::time), std::move(note));
    model_.setNotes(std::move(notes));
    tries_ = 0;
    keepAll();
    Q_EMIT changed();
}

void NoteBook::change(std::size_t index, const QString& text) {
    std::vector<Note> notes = model_.notes();
    if (index >= notes.size()) return;
    if (text.trimmed().isEmpty()) return remove(index);
    notes[index].text = text.trimmed().toStdString();
    error_.reset();
    if (notes[index].id > 0)
        if (const Status kept = keepNote(model_.file(), notes[index]); !kept) error_ = kept.error();
    model_.setNotes(std::move(notes));
}

void NoteBook::remove(std::size_t index) {
    std::vector<Note> notes = model_.notes();
    if (index >= notes.size()) return;
    error_.reset();
    if (notes[index].id > 0) {
        if (const Status dropped = dropNote(model_.file(), notes[index].id); !dropped) {
            error_ = dropped.error();
            Q_EMIT changed();
            return;
        }
    }
    notes.erase(notes.begin() + static_cast<std::ptrdiff_t>(index));
    model_.setNotes(std::move(notes));
}

}  // namespace shardlab::ui
