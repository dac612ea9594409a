// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/handout_file.h"

#include "engine/base/file.h"
#include "ui/core/drawing_object.h"
#include "ui/core/formula_object.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QFont>
#include <QPageSize>
#include <QPdfWriter>
#include <QTextDocument>

namespace shardlab::ui {
namespace {

constexpr int letterPoints = 11;

QByteArray pdfOf(const QString& html) {
    QByteArray pdf;
    QBuffer buffer(&pdf);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setCreator(QStringLiteral("Shardlab"));
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF());  // QTextDocument::print leaves 2 cm free on each side itself
    DrawingObject drawings;
    FormulaObject formulas;
    QTextDocument document;
    document.documentLayout()->registerHandler(DrawingObject::type, &drawings);
    document.documentLayout()->registerHandler(FormulaObject::type, &formulas);
    QFont letters(QStringLiteral("sans-serif"));
    letters.setPointSize(letterPoints);
    document.setDefaultFont(letters);
    document.setHtml(html);
    setDrawings(document);
    setFormulas(document, Qt::black);
    writer.setTitle(document.metaInformation(QTextDocument::DocumentTitle));
    document.print(&writer);
    buffer.close();
    return pdf;
}

}  // namespace

Status saveHandout(const QString& html, const std::filesystem::path& file) {
    const QByteArray content = file.extension() == ".pdf" ? pdfOf(html) : html.toUtf8();
    return base::replaceFile(file, std::string_view(content.constData(), static_cast<std::size_t>(content.size())));
}

}  // namespace shardlab::ui
