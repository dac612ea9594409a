// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/handout_file.h"

#include "engine/base/file.h"

#include <QBuffer>
#include <QFont>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgRenderer>
#include <QTextDocument>
#include <QUrl>

namespace shardlab::ui {
namespace {

constexpr int fineness = 4;  ///< of drawings: pixels for each of a screen
constexpr int letterPoints = 11;

/// Draws the drawings of the page, which are written into it as SVG.
class PaperDocument : public QTextDocument {
protected:
    QVariant loadResource(int type, const QUrl& name) override {
        const QString address = QString::fromUtf8(name.toEncoded());
        if (type != ImageResource || !address.startsWith(QStringLiteral("data:image/svg+xml"))) return {};
        QSvgRenderer renderer(QByteArray::fromPercentEncoding(address.section(QLatin1Char(','), 1).toLatin1()));
        if (!renderer.isValid()) return {};
        QImage image(renderer.defaultSize() * fineness, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        renderer.render(&painter);
        return image;
    }
};

QByteArray pdfOf(const QString& html) {
    QByteArray pdf;
    QBuffer buffer(&pdf);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setCreator(QStringLiteral("Shardlab"));
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF());  // QTextDocument::print leaves 2 cm free on each side itself
    PaperDocument document;
    QFont letters(QStringLiteral("sans-serif"));
    letters.setPointSize(letterPoints);
    document.setDefaultFont(letters);
    document.setHtml(html);
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
