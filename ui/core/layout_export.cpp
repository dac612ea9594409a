// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/layout_export.h"

#include "engine/base/file.h"
#include "engine/layout/check/check.h"
#include "engine/layout/layout_file.h"
#include "engine/layout/schedule/registry.h"
#include "ui/core/document.h"
#include "ui/core/words.h"

#include <algorithm>
#include <optional>

namespace shardlab::ui {

std::string exportName(const Document& document, const TrainerTarget& target, bool sbatch) {
    std::filesystem::path stem = document.file().filename();
    for (const char* extension : {".json", ".layout"})
        if (stem.extension() == extension) stem.replace_extension();
    std::string name = stem.empty() ? document.layout().name : stem.string();
    std::ranges::replace(name, '/', '-');
    if (name.empty()) name = "layout";
    return exportedFileName(target, name, sbatch);
}

namespace {

std::vector<Fault> refusedBy(const TrainerTarget& target, const Layout& layout) {
    const auto exported = exportLayout(layout, target);
    return exported ? std::vector<Fault>() : exported.error();
}

/// With the nearest of the fault's values that leaves less refused.
std::optional<Layout> mended(const Layout& layout, const TrainerTarget& target, const Fault& fault) {
    const std::size_t before = refusedBy(target, layout).size();
    for (const std::string& value : fault.values) {
        const auto changed = setField(layout, fault.pointer + '=' + value);
        if (!changed || !changed->faults.empty() || !check(changed->layout, scheduleMethods()).empty()) continue;
        if (refusedBy(target, changed->layout).size() < before) return changed->layout;
    }
    return std::nullopt;
}

}  // namespace

Layout nearestFor(const Layout& layout, const TrainerTarget& target) {
    for (const Fault& fault : refusedBy(target, layout))
        if (const auto less = mended(layout, target, fault)) return nearestFor(*less, target);
    return layout;
}

LayoutExport exportOf(const Document& document, const TrainerTarget& target, const std::string& name, bool sbatch) {
    LayoutExport made;
    if (!document.faults().empty()) {
        made.legal = false;
        made.refused = document.faults();
        return made;
    }
    auto exported = exportLayout(document.resolvedLayout(), target, optionsFor(target, name, sbatch));
    if (!exported) {
        made.refused = std::move(exported.error());
        return made;
    }
    made.files.push_back({name, std::move(exported->text)});
    std::ranges::move(exported->companions, std::back_inserter(made.files));
    made.leftOut = std::move(exported->leftOut);
    return made;
}

Status writeExport(const LayoutExport& made, const std::filesystem::path& main) {
    std::error_code ignored;
    const auto place = [&](std::size_t file) { return file == 0 ? main : main.parent_path() / made.files[file].name; };
    for (std::size_t file = 1; file < made.files.size() && !std::filesystem::exists(main, ignored); ++file)
        if (std::filesystem::exists(place(file), ignored))
            return fail(Error{tr("will not replace").toStdString(), place(file).string(), tr("it exists").toStdString(),
                              tr("another name for the export").toStdString()});
    for (std::size_t file = 0; file < made.files.size(); ++file)
        if (const Status written = replaceFile(place(file), made.files[file].text); !written) return written;
    return {};
}

}  // namespace shardlab::ui
