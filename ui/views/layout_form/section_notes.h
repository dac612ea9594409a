// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace shardlab::ui {

class Document;

struct SectionNote {
    QString text;
    const char* role = "small";  ///< good where it confirms, bad where it warns
};

/// What follows from a section's fields: "2 × 2 = 4 ranks ✓", "4 microbatches"; empty for most.
SectionNote sectionNote(const QString& section, const Document& document);

}  // namespace shardlab::ui
