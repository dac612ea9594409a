// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/search_session.h"

#include "ui/core/document.h"
#include "ui/core/text.h"

#include "engine/layout/mesh/axis.h"
#include "ui/core/words.h"

#include <QElapsedTimer>
#include <QThreadPool>

#include <algorithm>
#include <mutex>

namespace shardlab::ui {
namespace {

constexpr int drainMilliseconds = 40;

}  // namespace

struct SearchSession::Feed {
    Layout layout;
    Measurements measurements;
    std::stop_source stop;
    std::mutex mutex;
    std::vector<Candidate> news;
    SearchProgress progress;
    std::vector<Fault> faults;
    double seconds = 0;
    bool complete = false;
    bool done = false;

    void run() {
        QElapsedTimer clock;
        clock.start();
        SearchOptions options;
        options.stop = stop.get_token();
        options.measurements = measurements;
        options.found = [this](std::span<const Candidate> found, const SearchProgress& now) {
            const std::scoped_lock lock(mutex);
            news.insert(news.end(), found.begin(), found.end());
            progress = now;
        };
        auto result = searchLayouts(layout, options);
        const std::scoped_lock lock(mutex);
        if (result) {
            complete = result->complete;
        } else {
            faults = std::move(result.error());
        }
        seconds = static_cast<double>(clock.nsecsElapsed()) * 1e-9;
        done = true;
    }
};

SearchSession::SearchSession(Document& document, QObject* parent) : QObject(parent), document_(document) {
    timer_.setInterval(drainMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &SearchSession::drain);
    connect(&document, &Document::layoutChanged, this, &SearchSession::dropIfStale);
    connect(&document, &Document::measurementsChanged, this,
            [this] {  // other times: other figures for the same question
                drop();
                Q_EMIT changed();
            });
}

SearchSession::~SearchSession() {
    if (feed_) feed_->stop.request_stop();
}

void SearchSession::start() {
    drop();
    question_ = document_.resolvedLayout();
    feed_ = std::make_shared<Feed>();
    feed_->layout = question_;
    feed_->measurements = document_.measurements();
    QThreadPool::globalInstance()->start([feed = feed_] { feed->run(); });
    timer_.start();
    Q_EMIT changed();
}

void SearchSession::cancel() {
    if (!feed_) return;
    feed_->stop.request_stop();
    drain();
    feed_ = nullptr;
    timer_.stop();
    Q_EMIT changed();
}

void SearchSession::drop() {
    if (feed_) feed_->stop.request_stop();
    feed_ = nullptr;
    timer_.stop();
    candidates_.clear();
    faults_.clear();
    progress_ = {};
    seconds_ = 0;
    complete_ = false;
}

void SearchSession::dropIfStale() {
    const bool nothing = !feed_ && candidates_.empty() && faults_.empty();
    if (!nothing && !sameQuestion(question_, document_.resolvedLayout())) drop();
    Q_EMIT changed();  // at least which candidate is loaded
}

Layout SearchSession::layoutOf(const Candidate& candidate) const {
    Layout layout = document_.layout();
    apply(candidate.choice, layout);
    return layout;
}

std::vector<FieldChange> SearchSession::changesOf(const Candidate& candidate) const {
    return changesBetween(document_.layout(), layoutOf(candidate));
}

bool SearchSession::stale() const { return !document_.faults().empty() && document_.resolvedLayout() != question_; }

void SearchSession::load(const Candidate& candidate) {
    document_.change(
        layoutOf(candidate),
        tr("Take candidate %1 %2").arg(degreesText(candidate.choice), QString::fromStdString(candidate.choice.kind)));
}

QString SearchSession::throughputUnit() const { return text(countedInputs(question_.model)) + QStringLiteral("/s"); }

int SearchSession::loaded() const {
    const Layout& layout = document_.layout();
    Layout even = layout;
    even.schedule.stages.clear();
    if (stageLayers(layout) != stageLayers(even)) return -1;
    const Choice choice = choiceOf(layout);
    const auto found = std::ranges::find_if(candidates_, [&](const Candidate& candidate) {
        if (candidate.choice == choice) return true;
        if (std::ranges::find(candidate.alike, choice.kind) == candidate.alike.end()) return false;
        Choice alike = choice;
        alike.kind = candidate.choice.kind;
        return candidate.choice == alike;
    });
    return found == candidates_.end() ? -1 : static_cast<int>(found - candidates_.begin());
}

void SearchSession::drain() {
    const std::shared_ptr<Feed> feed = feed_;
    if (!feed) return;
    {
        const std::scoped_lock lock(feed->mutex);
        if (feed->news.empty() && !feed->done) return;
        candidates_.insert(candidates_.end(), feed->news.begin(), feed->news.end());
        feed->news.clear();
        progress_ = feed->progress;
        seconds_ = feed->seconds;
        complete_ = feed->complete;
        faults_ = feed->faults;
        if (feed->done) feed_ = nullptr;
    }
    if (!feed_) timer_.stop();
    rankCandidates(candidates_);
    Q_EMIT changed();
    if (!faults_.empty()) Q_EMIT failed(faults_);
}

QString degreesText(const Choice& choice) {
    const ParallelSpec& parallel = choice.parallel;
    QString words = QStringLiteral("%1·%2").arg(parallel.data).arg(parallel.pipeline);
    if (choice.chunks > 1) words += QStringLiteral("×%1").arg(choice.chunks);
    for (const Axis axis : axesAsWritten)
        if (const int parts = degree(parallel, axis);
            matters(axis, parts) && axis != Axis::Data && axis != Axis::Pipeline)
            words += QStringLiteral(" %1%2%3")
                         .arg(text(shortName(axis)))
                         .arg(parts)
                         .arg(axis == Axis::Context && parallel.contextKind == ContextKind::Ulysses
                                  ? QStringLiteral(" ulysses")
                                  : QString());
    if (parallel.zero > 0) words += QStringLiteral(" z%1").arg(parallel.zero);
    return words;
}

QString scheduleText(const Candidate& candidate) {
    QString text = QString::fromStdString(candidate.choice.kind);
    if (candidate.choice.inFlight > 0) text += tr(", %1 in flight").arg(candidate.choice.inFlight);
    for (const std::string& kind : candidate.alike) text += QStringLiteral(" = ") + QString::fromStdString(kind);
    if (!candidate.choice.stages.empty()) text += tr(", balanced stages");
    if (candidate.choice.countEnds) text += tr(", ends count as layers");
    return text;
}

}  // namespace shardlab::ui
