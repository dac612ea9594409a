// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/lesson_session.h"

#include "engine/launch/job/run_header.h"
#include "engine/launch/lesson/lesson_pace.h"
#include "ui/core/document.h"
#include "ui/core/log_words.h"
#include "ui/core/run_model.h"
#include "ui/core/words.h"

#include <algorithm>
#include <utility>

namespace shardlab::ui {

LessonSession::LessonSession(Document& document, RunModel& model, JobStarter starter, QObject* parent)
    : QObject(parent), document_(document), model_(model), run_(model, std::move(starter)), replay_(model) {
    connect(&document_, &Document::measurementsChanged, this, &LessonSession::planAgain);
    for (const auto signal : {&Document::layoutChanged, &Document::planChanged})
        connect(&document_, signal, this, &LessonSession::noteSteps);
    connect(&run_, &RunSession::stateChanged, this, &LessonSession::changed);
    connect(&run_, &RunSession::ended, this, &LessonSession::ended);
    connect(&run_, &RunSession::failedToStart, this, [this](const Error& error) {
        waiting_.clear();
        finish(State::Failed, told(error));
    });
    connect(&replay_, &ReplaySession::failed, this, [this](const QString&, const Error& error) {
        if (shown_ < 0) return;
        const Place place{static_cast<std::size_t>(chosen_), static_cast<std::size_t>(shown_)};
        statusOf(place) = {State::Failed, told(error), {}};
        putPrediction(place);
        Q_EMIT changed();
    });
}

void LessonSession::load() {
    if (loaded_) return;
    loaded_ = true;
    auto all = launch::lessons();
    if (!all) problem_ = all.error();
    else lessons_ = std::move(*all);
    memory_.resize(lessons_.size());
    if (!lessons_.empty()) choose(0);
    else Q_EMIT chosenChanged();
}

const Lesson* LessonSession::lesson() const {
    return chosen_ < 0 ? nullptr : &lessons_[static_cast<std::size_t>(chosen_)];
}

std::span<const KnownExperiment> LessonSession::known() const {
    return chosen_ < 0 ? std::span<const KnownExperiment>() : memory_[static_cast<std::size_t>(chosen_)].known;
}

LessonSession::State LessonSession::state(std::size_t experiment) const {
    return memory_[static_cast<std::size_t>(chosen_)].status[experiment].state;
}

QString LessonSession::trouble(std::size_t experiment) const {
    return memory_[static_cast<std::size_t>(chosen_)].status[experiment].trouble;
}

const std::filesystem::path& LessonSession::recording(std::size_t experiment) const {
    return memory_[static_cast<std::size_t>(chosen_)].status[experiment].file;
}

void LessonSession::plan(std::size_t lesson) {
    Memory& memory = memory_[lesson];
    if (std::exchange(memory.planned, true)) return;
    memory.known.resize(lessons_[lesson].experiments.size());
    memory.status.resize(memory.known.size());
    paceTogether(lessons_[lesson]);
    for (std::size_t index = 0; index < memory.known.size(); ++index) {
        auto planned = planRun(lessons_[lesson].experiments[index].layout, document_.measurements());
        if (planned) memory.known[index].planned = std::move(*planned);
    }
}

void LessonSession::planAgain() {
    for (Memory& memory : memory_) memory.planned = false;
    if (!lesson()) return;
    plan(static_cast<std::size_t>(chosen_));
    if (shown_ >= 0 && !running_ && state(static_cast<std::size_t>(shown_)) != State::Ran) putShown();
    Q_EMIT changed();
}

void LessonSession::choose(int lesson) {
    if (lesson < 0 || lesson >= static_cast<int>(lessons_.size()) || lesson == chosen_) return;
    chosen_ = lesson;
    shown_ = -1;
    plan(static_cast<std::size_t>(lesson));
    reader_ = progress_.of(*this->lesson());
    whatIfs_.begin(*this->lesson());
    if (running_ && running_->lesson == static_cast<std::size_t>(lesson))
        shown_ = static_cast<int>(running_->experiment);
    Q_EMIT chosenChanged();
    if (!running_ && !lessons_[static_cast<std::size_t>(lesson)].experiments.empty()) show(0);
}

void LessonSession::show(std::size_t experiment) {
    if (!lesson() || running_) return;
    const Memory& memory = memory_[static_cast<std::size_t>(chosen_)];
    shown_ = static_cast<int>(experiment);
    replay_.cancel();
    if (memory.status[experiment].state == State::Ran) replay_.open(memory.status[experiment].file);
    else putShown();
    Q_EMIT changed();
}

bool LessonSession::keepsBack(std::size_t experiment) const {
    return std::ranges::any_of(lesson()->questions, [&](const LessonQuestion& question) {
        return question.isAbout(experiment) && reader_.isOpen(question);
    });
}

StepStrip LessonSession::strip(std::size_t experiment) const {
    if (!lesson() || state(experiment) != State::Ran || keepsBack(experiment)) return {};
    return memory_[static_cast<std::size_t>(chosen_)].status[experiment].strip;
}

double LessonSession::longestStrip() const {
    double longest = 0;
    for (std::size_t experiment = 0; experiment < known().size(); ++experiment)
        longest = std::max(longest, strip(experiment).seconds);
    return longest;
}

void LessonSession::putShown() {
    if (keepsBack(static_cast<std::size_t>(shown_))) model_.clear();
    else putPrediction({static_cast<std::size_t>(chosen_), static_cast<std::size_t>(shown_)});
}

void LessonSession::putPrediction(const Place& place) {
    if (const auto& planned = memory_[place.lesson].known[place.experiment].planned)
        model_.begin(headerOf(planned->plan), planned->plan.simulation.events);
    else model_.clear();
}

void LessonSession::run(std::vector<std::size_t> experiments) {
    if (!lesson() || experiments.empty()) return;
    if (running_) {
        Q_EMIT refused(tr("The experiment %1 is running: wait for its end, or stop it.").arg(runningExperiment()));
        return;
    }
    if (const QString reason = gate_ ? gate_() : QString(); !reason.isEmpty()) {
        Q_EMIT refused(reason);
        return;
    }
    if (!folder_) {
        auto made = ScratchFolder::make("lessons");
        if (!made) {
            Q_EMIT refused(told(made.error()));
            return;
        }
        folder_.emplace(std::move(*made));
    }
    waiting_.assign(experiments.begin(), experiments.end());
    running_ = Place{static_cast<std::size_t>(chosen_), 0};
    startNext();
}

void LessonSession::startNext() {
    replay_.cancel();
    running_->experiment = waiting_.front();
    waiting_.pop_front();
    const LessonExperiment& experiment = lessons_[running_->lesson].experiments[running_->experiment];
    statusOf(*running_) = {.state = State::Running, .trouble = {}, .file = {}};
    memory_[running_->lesson].known[running_->experiment].measured.reset();
    if (static_cast<std::size_t>(chosen_) == running_->lesson) shown_ = static_cast<int>(running_->experiment);
    putPrediction(*running_);  // until its ranks are there
    // A name of its own: that of the run before may still be read.
    run_.start(experiment.layout, folder_->path() / (experiment.name + "-" + std::to_string(++runs_) + ".shardlab"),
               document_.measurements());
    Q_EMIT changed();
}

void LessonSession::stop() {
    waiting_.clear();
    if (running_) run_.stop();
}

void LessonSession::ended(const RunEnd& end) {
    if (!running_) return;
    if (end.outcome != "finished") {
        waiting_.clear();
        const bool stopped = end.outcome == "stopped";
        return finish(stopped ? State::Stopped : State::Failed, stopped ? QString() : logWords(end.reason));
    }
    auto measured = measureRun(run_.runFile());
    if (!measured) return finish(State::Failed, told(measured.error()));
    memory_[running_->lesson].known[running_->experiment].measured = std::move(*measured);
    const Place place = *running_;
    finish(State::Ran, {});
    if (static_cast<std::size_t>(chosen_) != place.lesson) return;
    noteSteps();
    showAnswered(place.experiment);
}

void LessonSession::showAnswered(std::size_t experiment) {
    for (const LessonQuestion& question : lesson()->questions)
        if (!question.show.empty() &&
            std::ranges::find(question.experiments, experiment) != question.experiments.end() &&
            measuredAnswer(question, known()))
            Q_EMIT showRequested(QString::fromStdString(question.show));
}

void LessonSession::guess(std::size_t question, double guess) {
    const LessonQuestion& asked = lesson()->questions[question];
    if (!isGuess(asked, guess)) return;
    progress_.guess(*lesson(), asked, guess);
    takeReader();
}

void LessonSession::passOver(std::size_t question) {
    progress_.passOver(*lesson(), lesson()->questions[question]);
    takeReader();
}

void LessonSession::takeReader() {
    reader_ = progress_.of(*lesson());
    if (shown_ >= 0 && !running_ && state(static_cast<std::size_t>(shown_)) != State::Ran) putShown();
    Q_EMIT changed();
}

void LessonSession::beginAnew() {
    if (!lesson()) return;
    progress_.forget(*lesson());
    takeReader();
    noteSteps();
}

void LessonSession::runFor(std::size_t question) {
    if (lesson()) run(unmeasured(lesson()->questions[question], known()));
}

void LessonSession::noteSteps() {
    if (!lesson()) return;
    bool more = false;
    for (const LessonStep& step : lesson()->steps) {
        if (reader_.done.contains(step.name) || !isDone(step, document_.layout(), document_.faults(), known()))
            continue;
        progress_.setDone(*lesson(), step);
        reader_.done.insert(step.name);
        more = true;
    }
    if (more) Q_EMIT changed();
}

void LessonSession::finish(State state, const QString& trouble) {
    statusOf(*running_) = {state, trouble, run_.runFile(), state == State::Ran ? lastStepOf(model_) : StepStrip()};
    if (!waiting_.empty()) {
        // The session that told us is still about its end.
        QMetaObject::invokeMethod(
            this,
            [this] {
                if (!running_) return;
                if (waiting_.empty()) return settle();
                startNext();
            },
            Qt::QueuedConnection);
        Q_EMIT changed();
    } else {
        settle();
    }
}

void LessonSession::settle() {
    running_.reset();
    if (shown_ < 0 && lesson() && !lesson()->experiments.empty())
        return show(0);  // another lesson was chosen meanwhile
    Q_EMIT changed();
}

QString LessonSession::runningLesson() const {
    return running_ ? QString::fromStdString(lessons_[running_->lesson].title) : QString();
}

QString LessonSession::runningExperiment() const {
    return running_ ? QString::fromStdString(lessons_[running_->lesson].experiments[running_->experiment].name)
                    : QString();
}

void LessonSession::openInDesign(std::size_t experiment) {
    if (!lesson()) return;
    const LessonExperiment& chosen = lesson()->experiments[experiment];
    takeIntoDesign(chosen.layout, tr("Take the experiment %1").arg(QString::fromStdString(chosen.name)));
}

void LessonSession::openWhatIf(std::size_t whatIf) {
    if (!lesson()) return;
    takeIntoDesign(layoutAt(lesson()->whatIfs[whatIf], whatIfs_.position(whatIf)), tr("Take the layout of a what-if"));
}

void LessonSession::takeIntoDesign(const Layout& layout, const QString& what) {
    document_.change(layout, what);
    Q_EMIT windowWanted();
    Q_EMIT designRequested();
}

}  // namespace shardlab::ui
