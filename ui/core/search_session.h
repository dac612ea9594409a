// SPDX-License-Identifier: GPL-3.0-or-later
// Plan for me: the search for the best layout on a worker thread; its candidates arrive while it runs.
#pragma once

#include "engine/predict/search/nearest_legal.h"
#include "engine/predict/search/search.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <vector>

namespace shardlab::ui {

class Document;

class SearchSession : public QObject {
    Q_OBJECT
public:
    explicit SearchSession(Document& document, QObject* parent = nullptr);
    ~SearchSession() override;

    /// Searches for the document's model, cluster and batch; a search under way gives way.
    void start();
    /// Keeps what was found so far.
    void cancel();
    /// The document's layout with what the candidate chooses.
    Layout layoutOf(const Candidate& candidate) const;
    /// The fields that taking the candidate would change, with both values.
    std::vector<FieldChange> changesOf(const Candidate& candidate) const;
    /// Makes the candidate the document's layout: one undoable step.
    void load(const Candidate& candidate);

    bool running() const { return feed_ != nullptr; }
    const SearchProgress& progress() const { return progress_; }
    /// Best first, those found so far; none where the model, cluster or batch has changed since.
    const std::vector<Candidate>& candidates() const { return candidates_; }
    /// "tokens/s", or "images/s": what the candidates' throughput counts.
    QString throughputUnit() const;
    double seconds() const { return seconds_; }  ///< that the search took
    bool complete() const { return complete_; }
    /// The layout has faults, and had other ones or none when the search began: a search of it as it is now could find
    /// something else.
    bool stale() const;
    /// What no choice could mend; then there are no candidates.
    const std::vector<Fault>& faults() const { return faults_; }
    /// Index of the document's layout among the candidates, or of one that is alike; -1: it is not one of them.
    int loaded() const;

Q_SIGNALS:
    /// Candidates, progress or whether it runs.
    void changed();
    void failed(const std::vector<shardlab::layout::Fault>& faults);

private:
    /// Shared with the worker.
    struct Feed;
    void drain();
    void drop();
    void dropIfStale();

    Document& document_;
    Layout question_;
    std::shared_ptr<Feed> feed_;
    std::vector<Candidate> candidates_;
    std::vector<Fault> faults_;
    SearchProgress progress_;
    double seconds_ = 0;
    bool complete_ = false;
    QTimer timer_;
};

/// "4·2×2": data · pipeline × chunks; other degrees longer than 1 follow with their names.
QString degreesText(const Choice& choice);
/// "1f1b", "zb-greedy, 8 in flight", "naive = gpipe = 1f1b": a schedule, and those with the same figures here.
QString scheduleText(const Candidate& candidate);

}  // namespace shardlab::ui
