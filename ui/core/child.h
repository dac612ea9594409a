// SPDX-License-Identifier: GPL-3.0-or-later
// Qt's objects are owned by their parent: the one place that says `new`.
#pragma once

#include <utility>

namespace shardlab::ui {

/// An object that its Qt parent (one of `arguments`, or the layout it is added to at once) owns and deletes.
template <class Object, class... Arguments>
Object* child(Arguments&&... arguments) {
    return new Object(std::forward<Arguments>(arguments)...);
}

}  // namespace shardlab::ui
