// SPDX-License-Identifier: Apache-2.0
// A variable of the environment that a test sets for a while.
#pragma once

#include <QByteArray>
#include <QtGlobal>

namespace shardlab::test {

/// Set as long as it lives, and unset afterwards. `name` must live as long.
class Variable {
public:
    Variable(const char* name, const QByteArray& value) : name_(name) { qputenv(name, value); }
    ~Variable() { qunsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
};

}  // namespace shardlab::test
