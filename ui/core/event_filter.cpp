// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/event_filter.h"

#include "ui/core/run_model.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QRegularExpression>
#include <QString>
#include <QStringList>

namespace shardlab::ui {
namespace {

std::string legalWords() {
    return shardlab::ui::tr(
               "an action (3F7, F7, 3B), a kind (wait, send forward, optimizer), rank 0-3, a place (pp1), step 12, "
               "stage "
               "2, mb 7, a lane (comm), > 5 ms")
        .toStdString();
}

std::optional<ActionKind> letterKind(const QString& letter) {
    const ActionKind kind = actionKindOf(letter.toUpper().toStdString());
    return isCompute(kind) ? std::optional(kind) : std::nullopt;
}

double nanosecondsOf(const QString& unit) {
    if (unit == QLatin1String("ns")) return 1;
    if (unit == QLatin1String("us") || unit == QStringLiteral("µs")) return 1e3;
    if (unit == QLatin1String("ms")) return 1e6;
    return unit == QLatin1String("min") ? 60e9 : 1e9;
}

NumberSpan spanOf(const QRegularExpressionMatch& match, int group) {
    NumberSpan span;
    span.first = match.captured(group).toLongLong();
    span.last = span.first;
    if (!match.captured(group + 1).isEmpty()) {
        const QString last = match.captured(group + 1).mid(1);
        span.last = last.isEmpty() ? std::numeric_limits<std::int64_t>::max() : last.toLongLong();
    }
    return span;
}

/// Takes parts of the text that it understands away.
class Parser {
public:
    Parser(const std::string& given, const RunModel& model) : rest_(QString::fromStdString(given)), model_(model) {}

    Result<EventFilter> parsed() {
        if (rest_.trimmed().isEmpty())
            return fail({shardlab::ui::tr("the search is empty").toStdString(), "", "", legalWords()});
        takeDurations();
        takeNumbers();
        const QString phrase = rest_.simplified();
        if (takeKind(phrase, true)) return filter_;
        for (const QString& word : phrase.split(QRegularExpression(QStringLiteral("[\\s,]+")), Qt::SkipEmptyParts))
            if (!takeWord(word))
                return fail({shardlab::ui::tr("no event, kind or place has this name").toStdString(),
                             word.toStdString(), "", legalWords()});
        return filter_;
    }

private:
    void takeDurations() {
        static const QRegularExpression pattern(
            QStringLiteral("([<>])\\s*=?\\s*([0-9]*\\.?[0-9]+)\\s*(ns|us|µs|ms|min|s)(?![a-z])"));
        QRegularExpressionMatch match;
        while ((match = pattern.match(rest_)).hasMatch()) {
            const double asked = match.captured(2).toDouble() * nanosecondsOf(match.captured(3));  // of device time
            const std::int64_t limit = model_.deviceTime().nanosecondsOnClock(static_cast<std::int64_t>(asked));
            (match.captured(1) == QLatin1String(">") ? filter_.duration.first : filter_.duration.last) = limit;
            rest_.remove(match.capturedStart(), match.capturedLength());
        }
    }

    void takeNumbers() {
        static const QRegularExpression pattern(
            QStringLiteral("\\b(ranks?|steps?|stages?|mb|microbatch)\\s*[:=]?\\s*([0-9]+)(-[0-9]*)?(?![0-9a-z-])"),
            QRegularExpression::CaseInsensitiveOption);
        QRegularExpressionMatch match;
        while ((match = pattern.match(rest_)).hasMatch()) {
            const NumberSpan span = spanOf(match, 2);
            const QString what = match.captured(1).toLower();
            if (what.startsWith(QLatin1String("rank"))) keepRanks([&](int rank) { return span.holds(rank); });
            else if (what.startsWith(QLatin1String("step"))) filter_.steps = span;
            else {
                (what.startsWith(QLatin1String("stage")) ? filter_.stages : filter_.microbatches) = span;
                filter_.ofActions = true;
            }
            rest_.remove(match.capturedStart(), match.capturedLength());
        }
    }

    template <class Keep>
    void keepRanks(Keep keep) {
        if (filter_.ranks.empty()) filter_.ranks.assign(static_cast<std::size_t>(model_.ranks()), true);
        for (int rank = 0; rank < model_.ranks(); ++rank)
            if (!keep(rank)) filter_.ranks[static_cast<std::size_t>(rank)] = false;
    }

    bool takeWord(const QString& word) {
        return takeAction(word) || takeKind(word, true) || takePlace(word) || takeLane(word) || takeKind(word, false) ||
               takeName(word);
    }

    bool takeAction(const QString& word) {
        static const QRegularExpression ofMicrobatch(QStringLiteral("^([FBIWR])([0-9]+)$"),
                                                     QRegularExpression::CaseInsensitiveOption);
        static const QRegularExpression ofStage(QStringLiteral("^([0-9]+)([FBIWR])$"),
                                                QRegularExpression::CaseInsensitiveOption);
        if (const auto kind = letterKind(word)) return takeActionKind(*kind);
        if (const auto match = ofMicrobatch.match(word); match.hasMatch()) {
            const std::int64_t number = match.captured(2).toLongLong();
            filter_.microbatches = {number, number};
            filter_.ofActions = true;
            return takeActionKind(*letterKind(match.captured(1)));
        }
        if (const auto match = ofStage.match(word); match.hasMatch()) {
            const std::int64_t number = match.captured(1).toLongLong();
            filter_.stages = {number, number};
            filter_.ofActions = true;
            return takeActionKind(*letterKind(match.captured(2)));
        }
        const auto action = parseAction(word.toUpper().replace(QLatin1Char('V'), QLatin1Char('v')).toStdString());
        if (!action) return false;
        filter_.action = *action;
        return true;
    }

    bool takeActionKind(ActionKind kind) {
        filter_.kinds.set(static_cast<std::size_t>(eventKind(kind)));
        return true;
    }

    bool takeKind(const QString& word, bool whole) {
        bool found = false;
        if (word.isEmpty()) return false;
        for (std::size_t number = 1; number < filter_.kinds.size(); ++number) {
            const auto kind = static_cast<EventKind>(number);
            if (!isSpan(kind) || name(kind) == "unknown") continue;
            const auto fitting = [&](const QString& title) {
                return whole ? title.compare(word, Qt::CaseInsensitive) == 0
                             : title.contains(word, Qt::CaseInsensitive);
            };
            const bool fits = fitting(text(name(kind))) || fitting(term(name(kind)));
            if (fits) filter_.kinds.set(number);
            found = found || fits;
        }
        return found;
    }

    bool takePlace(const QString& word) {
        const auto has = [&](int rank) {
            return QString::fromStdString(placeOf(model_, rank))
                .split(QLatin1Char(' '))
                .contains(word, Qt::CaseInsensitive);
        };
        bool any = false;
        for (int rank = 0; rank < model_.ranks(); ++rank) any = any || has(rank);
        if (any) keepRanks(has);
        return any;
    }

    bool takeLane(const QString& word) {
        for (int lane = 0; lane < laneCount; ++lane) {
            const std::string_view title = name(static_cast<Lane>(lane));
            if (text(title).compare(word, Qt::CaseInsensitive) != 0 && term(title) != word) continue;
            filter_.lane = static_cast<Lane>(lane);
            return true;
        }
        return false;
    }

    /// Takes a part of the names that the events of an imported run have.
    bool takeName(const QString& word) {
        const auto& all = model_.report().names().all();
        std::vector<bool> fitting(all.size() + 1, false);
        bool any = false;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool before = filter_.names.empty() || filter_.names[i + 1];
            fitting[i + 1] = before && QString::fromStdString(all[i]).contains(word, Qt::CaseInsensitive);
            any = any || fitting[i + 1];
        }
        if (any) filter_.names = std::move(fitting);
        return any;
    }

    QString rest_;
    const RunModel& model_;
    EventFilter filter_;
};

}  // namespace

bool EventFilter::matches(const Event& event) const {
    if (kinds.any() && !kinds.test(static_cast<std::size_t>(event.kind))) return false;
    if (lane && event.lane != *lane) return false;
    if (!ranks.empty() && (event.rank < 0 || static_cast<std::size_t>(event.rank) >= ranks.size() ||
                           !ranks[static_cast<std::size_t>(event.rank)]))
        return false;
    if (!steps.holds(event.step) || !duration.holds(event.end - event.begin)) return false;
    if (!names.empty()) {
        const std::uint32_t number = nameNumber(event.action);
        if (number == 0 || number >= names.size() || !names[number]) return false;
    }
    if (!ofActions && !action) return true;
    if (event.action == 0 || nameNumber(event.action) != 0) return false;
    Action own = actionFromId(event.action);
    if (!stages.holds(own.stage) || !microbatches.holds(own.microbatch)) return false;
    if (!action) return true;
    // A wait carries what it waits for.
    if (event.kind == EventKind::Wait && kinds.none()) return false;
    if (action->version < 0) own.version = -1;
    return own == *action;
}

Result<EventFilter> parseEventFilter(const std::string& text, const RunModel& model) {
    return Parser(text, model).parsed();
}

}  // namespace shardlab::ui
