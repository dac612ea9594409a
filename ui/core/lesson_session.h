// SPDX-License-Identifier: GPL-3.0-or-later
// The Learn workspace's lessons: which is read, what is known of its experiments, and the one that runs. Feeds the
// workspace's model with the experiment in sight: its prediction, its live run, or the recorded one.
#pragma once

#include "engine/base/scratch_folder.h"
#include "engine/launch/lesson/lesson.h"
#include "ui/core/lesson_progress.h"
#include "ui/core/replay_session.h"
#include "ui/core/run_session.h"
#include "ui/core/step_strip.h"
#include "ui/core/what_if_session.h"

#include <QObject>

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace shardlab::ui {

class Document;

class LessonSession : public QObject {
    Q_OBJECT
public:
    enum class State { Fresh, Running, Ran, Stopped, Failed };

    LessonSession(Document& document, RunModel& model, JobStarter starter, QObject* parent = nullptr);

    /// Says why no experiment may run now; empty: one may.
    void setGate(std::function<QString()> gate) { gate_ = std::move(gate); }
    /// Reads the lessons, once; the first is chosen.
    void load();
    const std::vector<Lesson>& lessons() const { return lessons_; }
    const std::optional<Error>& problem() const { return problem_; }  ///< why there are no lessons

    void choose(int lesson);
    int chosen() const { return chosen_; }  ///< -1: none
    const Lesson* lesson() const;           ///< the chosen one; nullptr: none
    /// What is known of the chosen lesson's experiments.
    std::span<const KnownExperiment> known() const;
    State state(std::size_t experiment) const;
    QString trouble(std::size_t experiment) const;                         ///< of one that Failed
    const std::filesystem::path& recording(std::size_t experiment) const;  ///< of one that Ran

    /// The last step of an experiment of the chosen lesson that Ran, if no open question keeps it back; else one
    /// without rows.
    StepStrip strip(std::size_t experiment) const;
    /// Seconds of the longest of these strips; 0 where there is none.
    double longestStrip() const;

    /// Puts an experiment of the chosen lesson into the model; ignored while one runs.
    void show(std::size_t experiment);
    int shown() const { return shown_; }  ///< -1: none of the chosen lesson
    /// Runs experiments of the chosen lesson one after the other. refused() while one runs and where the gate is shut.
    void run(std::vector<std::size_t> experiments);
    /// The one that runs, at its next step; those that wait do not start.
    void stop();
    bool active() const { return running_.has_value(); }
    QString runningLesson() const;
    QString runningExperiment() const;
    /// What was guessed and done in the chosen lesson, now or at an earlier start.
    const LessonReader& reader() const { return reader_; }
    /// A question is open whose answer the experiment's prediction would give away: it is kept back.
    bool keepsBack(std::size_t experiment) const;
    void guess(std::size_t question, double guess);
    void passOver(std::size_t question);
    /// Takes back all guesses and steps of the chosen lesson; what was measured stays.
    void beginAnew();
    /// Runs what a question of the chosen lesson asks about and has not been measured.
    void runFor(std::size_t question);
    /// The what-ifs of the chosen lesson.
    WhatIfSession& whatIfs() { return whatIfs_; }
    /// Asks for what a link of the text names: "timeline", a view, or "/batch/micro", a field.
    void requestShow(const QString& target) {
        Q_EMIT windowWanted();
        Q_EMIT showRequested(target);
    }
    /// Asks for the lesson on the whole screen.
    void requestPresentation() { Q_EMIT presentationRequested(); }
    /// Asks for a file with the lesson for paper.
    void requestHandout() { Q_EMIT handoutRequested(); }
    /// Makes an experiment's layout that of the document; can be undone.
    void openInDesign(std::size_t experiment);
    /// Makes the layout that a what-if is at that of the document; can be undone.
    void openWhatIf(std::size_t whatIf);

Q_SIGNALS:
    /// Another lesson has been chosen.
    void chosenChanged();
    void changed();  ///< states, figures, what is shown, guesses and steps
    void showRequested(const QString& target);
    void presentationRequested();
    void handoutRequested();
    void refused(const QString& reason);                                            ///< no experiment starts
    void handoutWritten(const QString& file, const shardlab::base::Error* whyNot);  ///< nullptr: it is there
    void designRequested();
    void windowWanted();  ///< a person asked for what is in the window, around or behind the lesson

private:
    struct Place {
        std::size_t lesson = 0;
        std::size_t experiment = 0;
    };
    struct Status {
        State state = State::Fresh;
        QString trouble;
        std::filesystem::path file;  ///< the run's, where it Ran
        StepStrip strip{};           ///< of its last step
    };
    /// What the session remembers of a lesson; empty until the lesson is chosen.
    struct Memory {
        std::vector<KnownExperiment> known;
        std::vector<Status> status;
        bool planned = false;  ///< with the measurements there are
    };
    void plan(std::size_t lesson);
    void planAgain();
    void putPrediction(const Place& place);
    void startNext();
    void ended(const RunEnd& end);
    void finish(State state, const QString& trouble);
    void settle();  ///< nothing runs any more
    /// Notes the steps of the chosen lesson that the document or a run fulfils.
    void noteSteps();
    void takeIntoDesign(const Layout& layout, const QString& what);
    void showAnswered(std::size_t experiment);
    /// Puts the prediction of the one in sight into the model, or takes it out.
    void putShown();
    void takeReader();
    Status& statusOf(const Place& place) { return memory_[place.lesson].status[place.experiment]; }

    Document& document_;
    RunModel& model_;
    std::optional<ScratchFolder> folder_;  ///< for runs; made for the first, goes after the sessions
    int runs_ = 0;                         ///< numbers their files
    RunSession run_;
    ReplaySession replay_;
    std::function<QString()> gate_;
    WhatIfSession whatIfs_;
    std::vector<Lesson> lessons_;
    std::vector<Memory> memory_;
    LessonProgress progress_;
    LessonReader reader_;
    std::optional<Error> problem_;
    bool loaded_ = false;
    int chosen_ = -1;
    int shown_ = -1;
    std::optional<Place> running_;
    std::deque<std::size_t> waiting_;  ///< of the running one's lesson
};

}  // namespace shardlab::ui
