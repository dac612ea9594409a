// SPDX-License-Identifier: GPL-3.0-or-later
// Pages of HTML on paper: how far they are written on, and that drawings stay drawings.
#include "tests/support/wings.h"
#include "ui/core/formula_object.h"
#include "ui/core/handout_file.h"

#include <QAbstractTextDocumentLayout>
#include <QFile>
#include <QFontMetricsF>
#include <QImage>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QTextDocument>

#include <cmath>

using namespace shardlab::test;

namespace {

/// What is written on the pages of a PDF: its compressed parts, in the words of PDF.
QByteArray streamsOf(const QByteArray& pdf) {
    const QByteArray begin = "stream\n", end = "\nendstream";
    QByteArray written;
    for (qsizetype at = 0; (at = pdf.indexOf(begin, at)) >= 0;) {
        at += begin.size();
        const QByteArray anySize(4, '\0');
        written += qUncompress(anySize + pdf.mid(at, pdf.indexOf(end, at) - at));
    }
    return written;
}

}  // namespace

class HandoutFileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A page is written on as far as 2 cm from its edges, and not within a second margin.
    void aHandoutFillsItsPaper() {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("paper.pdf"));
        QString html;
        for (int paragraph = 0; paragraph < 60; ++paragraph)
            html += QStringLiteral("<p>") + QStringLiteral("What a rank holds while it waits. ").repeated(20) +
                    QStringLiteral("</p>");
        QVERIFY(saveHandout(html, file.toStdString()));
        QFile paper(file);
        QVERIFY(paper.open(QIODevice::ReadOnly));
        const int pages = paper.readAll().count("/Type /Page\n");
        QPdfWriter writer(folder.filePath(QStringLiteral("measure.pdf")));
        const double inch = writer.logicalDpiX();
        QTextDocument measure;
        measure.documentLayout()->setPaintDevice(&writer);
        measure.setDefaultFont(QFont(QStringLiteral("sans-serif"), 11));
        measure.setDocumentMargin(0);
        measure.setHtml(html);
        measure.setPageSize(QSizeF(170, 257) / 25.4 * inch);  // A4 less 2 cm on each side
        QVERIFY2(measure.pageCount() > 5, qPrintable(QString::number(measure.pageCount())));
        QVERIFY2(std::abs(pages - measure.pageCount()) <= 1,
                 qPrintable(QStringLiteral("%1 pages, not %2").arg(pages).arg(measure.pageCount())));
    }

    /// Drawings were pixels on paper, whose edges a printer shows.
    void aDrawingIsADrawingOnPaperToo() {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("paper.pdf"));
        const QByteArray svg = "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='40'>"
                               "<rect x='10' y='5' width='200' height='30' fill='#336699'/></svg>";
        QVERIFY(saveHandout(QStringLiteral("<p>before</p><p><img src=\"data:image/svg+xml;charset=utf-8,%1\" "
                                           "width=\"300\" height=\"40\"></p><p>behind</p>")
                                .arg(QString::fromLatin1(svg.toPercentEncoding())),
                            file.toStdString()));
        QFile paper(file);
        QVERIFY(paper.open(QIODevice::ReadOnly));
        const QByteArray pdf = paper.readAll();
        QVERIFY(!pdf.contains("/Subtype /Image"));
        const QString drawn = QString::fromLatin1(streamsOf(pdf));
        static const QRegularExpression colour(QStringLiteral("0\\.2\\d* 0\\.4\\d* 0\\.6\\d* scn"));
        QVERIFY2(drawn.contains(colour), qPrintable(drawn.left(3000)));
    }

    /// Formulas stood on paper as they are typed, unlike in the window.
    void aFormulaIsSetAsMathematics() {
        QTextDocument page;
        page.setHtml(QStringLiteral(
            "<p>So</p><pre>bubble = (p−1)/(m+p−1)\n</pre><p>and</p><pre>shardlab run --steps 3\n</pre>"));
        setFormulas(page, Qt::black);
        const QString text = page.toPlainText();
        QVERIFY2(!text.contains(QStringLiteral("bubble")) && text.contains(QStringLiteral("shardlab run")),
                 qPrintable(text));
        // A formula's letters are as large as the page's letters on every device.
        FormulaObject formulas;
        const QFont letters(QStringLiteral("sans-serif"), 11);
        const auto heightIn = [&](QPaintDevice* device) {
            QTextDocument document;
            document.documentLayout()->registerHandler(FormulaObject::type, &formulas);
            document.documentLayout()->setPaintDevice(device);
            document.setDefaultFont(letters);
            document.setHtml(QStringLiteral("<pre>bubble = (p−1)/(m+p−1)</pre>"));
            setFormulas(document, Qt::black);
            return document.documentLayout()->blockBoundingRect(document.begin()).height() /
                   QFontMetricsF(letters, device).height();
        };
        QTemporaryDir folder;
        QPdfWriter writer(folder.filePath(QStringLiteral("paper.pdf")));
        QImage screen(10, 10, QImage::Format_RGB32);
        const double onPaper = heightIn(&writer), onScreen = heightIn(&screen);
        QVERIFY2(std::abs(onPaper - onScreen) < 0.1 * onScreen,
                 qPrintable(QStringLiteral("%1 and %2 lines").arg(onPaper).arg(onScreen)));
    }
};

QTEST_MAIN(HandoutFileTest)
#include "handout_file_test.moc"
