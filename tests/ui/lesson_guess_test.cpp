// SPDX-License-Identifier: GPL-3.0-or-later
// Questions before experiments: what is guessed, hidden and revealed, and what may not move while it is.
#include "tests/ui/classroom.h"
#include "ui/core/lesson_progress.h"
#include "ui/core/text.h"
#include "ui/views/lesson/lesson_drawing.h"

#include <QLayout>
#include <QMap>
#include <QRadioButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSlider>
#include <QTest>
#include <QWheelEvent>

#include <utility>

using namespace shardlab::test;

namespace {

/// Which parts lie over each other, or have less room than their words need; empty: none.
QString overlapIn(const QWidget& parent) {
    std::vector<const QWidget*> shown;
    for (const QWidget* part : parent.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
        if (part->isVisible()) shown.push_back(part);
    const auto called = [](const QWidget* part) {
        const auto* label = qobject_cast<const QLabel*>(part);
        return label ? label->text() : QString::fromLatin1(part->metaObject()->className());
    };
    for (const QWidget* part : shown) {
        if (part->hasHeightForWidth() && part->height() < part->heightForWidth(part->width()))
            return QStringLiteral("%1 has %2 of %3 px")
                .arg(called(part))
                .arg(part->height())
                .arg(part->heightForWidth(part->width()));
        for (const QWidget* other : shown)
            if (other != part && other->geometry().intersects(part->geometry()))
                return called(part) + QStringLiteral(" lies over ") + called(other);
        if (qobject_cast<const QTextBrowser*>(part)) continue;
        if (const QString inside = overlapIn(*part); !inside.isEmpty()) return inside;
    }
    return {};
}

}  // namespace

class LessonGuessTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Guess, run, reveal: what is asked is hidden, then told beside the guess, and kept for the next start.
    void aGuessIsDrawnIntoWhatWasMeasured() {
        const auto jobs = std::make_shared<FakeJobs>();
        Classroom room(startFake(jobs));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        QVERIFY2(!room.page().contains("42.9 %"), qPrintable(room.page()));
        auto& slider = *room.view().findChild<QSlider*>("slider.gpipe");
        auto& drawing = *room.button("guess.gpipe").parentWidget()->parentWidget()->findChild<LessonDrawing*>();
        QVERIFY(slider.isVisible() && drawing.isHidden());
        // The wheel scrolls the page, and makes no guess on its way.
        const int untouched = slider.value();
        QWheelEvent turned(QPointF(5, 5), slider.mapToGlobal(QPointF(5, 5)), {}, {0, -120}, Qt::NoButton,
                           Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&slider, &turned);
        QVERIFY(!slider.hasFocus());
        QCOMPARE(slider.value(), untouched);
        slider.setFocus();
        QTest::keyClick(&slider, Qt::Key_Home);
        for (int press = 0; press < 20; ++press) QTest::keyClick(&slider, Qt::Key_Right);
        room.button("guess.gpipe").click();
        QCOMPARE(room.lessons().reader().guesses.at("gpipe"), 0.2);
        QVERIFY(!slider.isVisible());
        QVERIFY(room.page().contains("42.9 %"));
        const QLabel& outcome = *room.view().findChild<QLabel*>("outcome.gpipe");
        const QLabel& reveal = *room.view().findChild<QLabel*>("reveal.gpipe");
        QCOMPARE(outcome.text(), QStringLiteral("You guessed: 20.0 %"));
        QVERIFY(reveal.isHidden());
        room.button("runFor.gpipe").click();
        QTRY_COMPARE(jobs->started.load(), 1);
        QCOMPARE(room.lessons().runningExperiment(), QStringLiteral("gpipe"));
        room.finish(*jobs);
        QTRY_COMPARE(room.lessons().state(1), LessonSession::State::Ran);
        QTRY_VERIFY(!reveal.isHidden() && !drawing.isHidden());
        QVERIFY2(outcome.text().startsWith("You guessed 20.0 %, measured: "), qPrintable(outcome.text()));
        QVERIFY2(drawing.accessibleName().contains("guessed 20.0 %"), qPrintable(drawing.accessibleName()));
        QVERIFY2(room.page().contains("(guessed 20.0 %)"), qPrintable(room.page()));
        QVERIFY(drawing.grab().toImage() != QWidget(&room.view()).grab().toImage());
        // The next start remembers the guess, and not a question that the lesson no longer has.
        const LessonProgress again;
        QCOMPARE(again.of(*room.lessons().lesson()), room.lessons().reader());
        Lesson shorter = *room.lessons().lesson();
        shorter.questions.clear();
        QVERIFY(again.of(shorter).guesses.empty());
        room.lessons().beginAnew();
        QVERIFY(slider.isVisible() && LessonProgress().of(*room.lessons().lesson()).guesses.empty());
    }

    void aChoiceIsGuessedOrPassedOver() {
        const auto jobs = std::make_shared<FakeJobs>();
        Classroom room(startFake(jobs));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        QVERIFY(!room.button("guess.more").isEnabled());
        room.view().findChild<QRadioButton*>("choice.more.1")->click();
        room.button("guess.more").click();
        QCOMPARE(room.lessons().reader().guesses.at("more"), 1.0);
        QCOMPARE(room.button("runFor.more").text(), QStringLiteral("Run gpipe-16 and gpipe and see"));
        room.button("pass.naive").click();
        QVERIFY(room.lessons().reader().passed.contains("naive"));
        QVERIFY(room.view().findChild<QLabel*>("outcome.naive")->text().isEmpty());
    }

    /// In the desktop's own colours.
    void aChoiceHasAMarkToClickAt() {
        Classroom room(startFake(std::make_shared<FakeJobs>()));
        room.workbench.theme().setDark(true);
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        QRadioButton& choice = *room.view().findChild<QRadioButton*>("choice.more.1");
        QTRY_VERIFY(choice.height() > 10);
        const auto mark = [&] { return choice.grab().toImage().copy(0, 0, 20, choice.height()); };
        const QImage open = mark();
        const QColor around = open.pixelColor(open.width() - 1, open.height() - 1);
        int seen = 0;
        for (int x = 0; x < open.width(); ++x)
            seen += open.pixelColor(x, open.height() / 2).lightness() > around.lightness() + 40;
        QVERIFY2(seen >= 2, qPrintable(QString::number(seen)));
        choice.click();
        QVERIFY(mark() != open);
    }

    /// What a guess revealed once moved the buttons that a reader was about to press.
    void buttonsStayWhereAGuessIsMade() {
        Classroom room(startFake(std::make_shared<FakeJobs>()));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        int checked = 0;
        for (std::size_t lesson = 0; lesson < room.lessons().lessons().size(); ++lesson) {
            room.lessons().choose(static_cast<int>(lesson));
            QTRY_VERIFY(room.lessons().lesson() && room.lessons().chosen() == static_cast<int>(lesson));
            QWidget& page = *room.view().findChild<QScrollArea*>()->widget();
            int width = 0;  // until the docks beside the lesson have theirs
            while (std::exchange(width, page.width()) != page.width()) QTest::qWait(200);
            // Whatever is wider than the page would be cut off.
            QVERIFY2(page.width() <= page.parentWidget()->width(), qPrintable(room.lessons().lesson()->title.c_str()));
            const auto heights = [&] {
                page.layout()->activate();
                QMap<QString, int> all;
                for (const QPushButton* button : page.findChildren<QPushButton*>(QRegularExpression("^run\\.")))
                    all[button->objectName()] = button->mapTo(&page, QPoint()).y();
                return all;
            };
            const auto questions = room.lessons().lesson()->questions;
            for (std::size_t question = 0; question < questions.size(); ++question) {
                const auto before = heights();
                const QString name = QString::fromStdString(questions[question].name);
                const int guessed = room.button("guess." + name).mapTo(&page, QPoint()).y();
                room.lessons().guess(question, 0);
                QTest::qWait(20);
                QCOMPARE(page.width(), width);
                QCOMPARE(heights(), before);
                QCOMPARE(room.button("runFor." + name).mapTo(&page, QPoint()).y(), guessed);
                ++checked;
            }
        }
        QVERIFY(checked > 20);
    }

    /// What belongs together stands below each other whole, before a guess, after it and once it was measured.
    void nothingLiesOverAnotherPart() {
        const auto jobs = std::make_shared<FakeJobs>();
        Classroom room(startFake(jobs));
        QTRY_VERIFY(room.lessons().lesson() != nullptr);
        int drawn = 0;
        room.window.resize(room.window.minimumSize());
        for (std::size_t lesson = 0; lesson < room.lessons().lessons().size(); ++lesson) {
            room.lessons().choose(static_cast<int>(lesson));
            QTRY_VERIFY(room.lessons().lesson() && room.lessons().chosen() == static_cast<int>(lesson));
            QWidget& page = *room.view().findChild<QScrollArea*>()->widget();
            const auto overlap = [&] {
                QTest::qWait(20);
                page.layout()->activate();
                return overlapIn(page);
            };
            const QString where = text(room.lessons().lesson()->name) + QStringLiteral(": %1");
            QVERIFY2(overlap().isEmpty(), qPrintable(where.arg(overlap())));
            const auto questions = room.lessons().lesson()->questions;
            for (std::size_t question = 0; question < questions.size(); ++question) {
                room.lessons().guess(question, 0);
                QVERIFY2(overlap().isEmpty(), qPrintable(where.arg(overlap())));
                if (lesson % 7 != 0) continue;  // some, as runs take their time
                room.lessons().runFor(question);
                while (room.lessons().active()) {
                    room.finish(*jobs);
                    const int started = jobs->started.load();
                    QTRY_VERIFY(!room.lessons().active() || jobs->started.load() > started);
                }
                QVERIFY2(overlap().isEmpty(), qPrintable(where.arg(overlap())));
            }
            for (const auto* drawing : page.findChildren<LessonDrawing*>()) drawn += drawing->isVisible() ? 1 : 0;
            room.lessons().beginAnew();
        }
        QVERIFY(drawn > 3);
    }
};

QTEST_MAIN(LessonGuessTest)
#include "lesson_guess_test.moc"
