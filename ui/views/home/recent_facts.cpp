// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/home/recent_facts.h"

#include "engine/layout/layout_file.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/predict/search/nearest_legal.h"
#include "engine/trace/run_file/run_file.h"
#include "ui/core/field_words.h"
#include "ui/core/text.h"
#include "ui/core/words.h"

#include <QFileInfo>

namespace shardlab::ui {
namespace {

constexpr std::size_t mostChanges = 4;

}  // namespace

RecentFacts readRecent(const QString& file) {
    RecentFacts facts;
    facts.file = file;
    facts.run = file.endsWith(QStringLiteral(".shardlab"));
    facts.written = QFileInfo(file).lastModified();
    const std::filesystem::path path = file.toStdString();
    if (!facts.run) {
        const auto parsed = readLayout(path);
        if (parsed) facts.layout = parsed->layout;
        else facts.trouble = told(parsed.error());
        return facts;
    }
    const auto reader = RunReader::open(path);
    if (!reader) {
        facts.trouble = told(reader.error());
        return facts;
    }
    if ((*reader)->header().hasLayout()) facts.layout = (*reader)->header().layout;
    else facts.outcome = tr("from another program (%1)").arg(term((*reader)->header().origin));
    if (const std::string& outcome = (*reader)->end().outcome; !outcome.empty()) facts.outcome = term(outcome);
    return facts;
}

QString layoutInWords(const Layout& layout) {
    return tr("%1 · %2 · %3 of %4 layers")
        .arg(text(layout.schedule.kind), text(rankFactorsText(layout.parallel)), text(wordOf(layout.model.kind)))
        .arg(layout.model.layers);
}

QString differenceInWords(const Layout& earlier, const Layout& later) {
    std::vector<FieldChange> changes = changesBetween(earlier, later);
    std::erase_if(changes, [](const FieldChange& change) { return change.pointer == "/name"; });
    if (changes.size() <= mostChanges + 1) return changesText(changes);
    const std::size_t more = changes.size() - mostChanges;
    changes.resize(mostChanges);
    return tr("%1 and %2 more").arg(changesText(changes)).arg(more);
}

}  // namespace shardlab::ui
