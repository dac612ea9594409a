// SPDX-License-Identifier: GPL-3.0-or-later
// Formulas of lessons are set as mathematics, and copied as they were written.
#include "tests/support/places.h"
#include "tests/support/wings.h"
#include "tests/ui/bench_context.h"
#include "ui/core/formula.h"
#include "ui/core/formula_object.h"
#include "ui/core/markdown_page.h"

#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QTest>
#include <QTextBlock>

using namespace shardlab;
using namespace shardlab::test;

class FormulaTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void strokesAreFractions_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("latex");
        const auto row = [](const char* line, const char* latex) {
            QTest::newRow(line) << QString::fromUtf8(line) << QString::fromUtf8(latex);
        };
        row("bubble = (p−1)/(m+p−1)", "bubble = \\frac{p−1}{m+p−1}");
        row("bubble = (p−1)/(v·m+p−1),", "bubble = \\frac{p−1}{v·m+p−1},");
        row("g = (g₁ + g₂ + … + gₙ)/n", "g = \\frac{g₁ + g₂ + … + gₙ}{n}");
        row("sent by each rank = 2(n−1)/n · B", "sent by each rank = \\frac{2(n−1)}{n} · B");
        row("seconds between checkpoints ≈ √(2·C·M)", "seconds between checkpoints ≈ \\sqrt{2·C·M}");
        row("V[i,j] = R[i] · C[j] / (R[1] + … + R[n])", "V[i,j] = \\frac{R[i] · C[j]}{R[1] + … + R[n]}");
        row("a = b + c / d", "a = b + \\frac{c}{d}");
        row("in flight, GPipe = m", "in flight, GPipe = m");
        row("places = ⌈C·s/E⌉", "places = ⌈\\frac{C·s}{E}⌉");
        row("places = ⌈1.25·64/8⌉ = 10", "places = ⌈\\frac{1.25·64}{8}⌉ = 10");
        row("x = ⌊(m+1)/p⌋·v", "x = ⌊\\frac{m+1}{p}⌋·v");
    }
    void strokesAreFractions() {
        QFETCH(QString, line);
        QFETCH(QString, latex);
        const auto formula = Formula::of(line);
        QVERIFY(formula);
        QCOMPARE(formula->text(), line);
        QCOMPARE(formula->latex(), latex);
    }

    void othersAreNone() {
        for (const char* line :
             {"rank 0   0F0 0F1 0F2 0B0", "stage 1   4Ψ + 4Ψ + 8Ψ/n      the optimizer's state", "export A=b",
              "x = call(\"text\")", "model_size = 3", "a + b", "shardlab run default", ""})
            QVERIFY2(!Formula::of(QString::fromUtf8(line)), line);
    }

    /// A fraction is higher than a line and narrower than its text; all that is drawn lies within its size.
    void itIsDrawnWithinItsSize() {
        QFont font;
        font.setPixelSize(14);
        const auto plain = Formula::of(QStringLiteral("x = m")),
                   fraction = Formula::of(QStringLiteral("x = a+b/(c+d)")),
                   root = Formula::of(QStringLiteral("x = √(a+b)"));
        const auto ceiling = Formula::of(QStringLiteral("x = ⌈a/b⌉"));
        QVERIFY(fraction->size(font).height() > 1.5 * plain->size(font).height());
        QVERIFY(root->size(font).height() > plain->size(font).height());
        QCOMPARE(ceiling->size(font).height(), fraction->size(font).height());
        for (const auto& formula : {plain, fraction, root, ceiling}) {
            const QSize size = formula->size(font).toSize() + QSize(1, 1);
            constexpr int margin = 4;
            QImage image(size + 2 * QSize(margin, margin), QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            formula->paint(painter, QPointF(margin, margin), font, Qt::black);
            painter.end();
            int inked = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x) {
                    if (qGray(image.pixel(x, y)) > 160) continue;
                    ++inked;
                    QVERIFY2(QRect(QPoint(margin - 2, margin - 2), size + QSize(4, 4)).contains(x, y),
                             qPrintable(QStringLiteral("%1: %2, %3").arg(formula->text()).arg(x).arg(y)));
                }
            QVERIFY(inked > 20);
        }
    }

    /// In a page only pieces of code are formulas, and whole ones; selecting gives back what was written.
    void aPageSetsThemAndCopiesThem() {
        sample::Bench bench;
        MarkdownPage page(nullptr);
        const QString text = QStringLiteral("Before x = a/b.\n\n    bubble = (p−1)/(m+p−1)\n\nBetween.\n\n"
                                            "    a = b/c\n    rank 0   0F0\n\n```python\ny = m/n\n```\n\nBehind.\n");
        page.setText(text, bench.theme.theme());
        QStringList set, all;
        for (QTextBlock block = page.document()->begin(); block.isValid(); block = block.next()) {
            if (block.text().contains(QChar::ObjectReplacementCharacter)) set << textWithFormulas(block);
            all << textWithFormulas(block);
        }
        QCOMPARE(set, QStringList{QStringLiteral("bubble = (p−1)/(m+p−1)")});
        page.selectAll();
        page.copy();
        QCOMPARE(QGuiApplication::clipboard()->text(), all.join(QLatin1Char('\n')));
        page.mark({QStringLiteral("bubble")}, 0, bench.theme.theme());
        QVERIFY(textWithFormulas(page.textCursor().block()).startsWith(QStringLiteral("bubble")));
    }

    /// Lessons have formulas, which both languages set alike.
    void lessonsHaveFormulas() {
        const auto formulas = [](const QString& folder) {
            QStringList found;
            const QDir lessons(folder);
            for (const QString& name : lessons.entryList({QStringLiteral("*.md")})) {
                QFile file(lessons.filePath(name));
                if (!file.open(QIODevice::ReadOnly)) continue;
                for (const QString& line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n')))
                    if (line.startsWith(QStringLiteral("    ")) && Formula::of(line.mid(4)))
                        found << Formula::of(line.mid(4))->latex();
            }
            return found;
        };
        const QString folder = QStringLiteral(SHARDLAB_SOURCE_DIR "/resources/lessons");
        const QStringList english = formulas(folder), chinese = formulas(folder + QStringLiteral("/zh_CN"));
        QVERIFY(english.filter(QStringLiteral("\\frac")).size() >= 8);
        QCOMPARE(chinese.filter(QStringLiteral("\\frac")).size(), english.filter(QStringLiteral("\\frac")).size());
    }
};

QTEST_MAIN(FormulaTest)
#include "formula_test.moc"
