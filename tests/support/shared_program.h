// SPDX-License-Identifier: Apache-2.0
// One program that is several tests (shared_program.cmake): it lies under each of their names.
#pragma once

#include <cstdio>
#include <initializer_list>
#include <string_view>

// What the output of moc includes, which must have been read before that stands in a test's namespace; older moc's than
// that of Qt 6.5 include nothing of Qt's that a test does not.
#include <memory>
#if __has_include(<QtCore/qtmochelpers.h>)
#include <QtCore/qtmochelpers.h>
#endif
#if __has_include(<QtCore/qxptype_traits.h>)
#include <QtCore/qxptype_traits.h>
#endif

namespace shardlab::test {

struct NamedTest {
    std::string_view name;
    int (*run)(int argc, char** argv);
};

/// Runs the test that is named like the file that was started. Returns its exit status, or 2 where no test is.
inline int runNamed(int argc, char** argv, std::initializer_list<NamedTest> tests) {
    const std::string_view path = argv[0];
    const std::string_view name = path.substr(path.rfind('/') + 1);
    for (const NamedTest& test : tests)
        if (test.name == name) return test.run(argc, argv);
    std::fprintf(stderr, "%s is no test; start this program as one of:\n", argv[0]);
    for (const NamedTest& test : tests) std::fprintf(stderr, "  %s\n", test.name.data());
    return 2;
}

}  // namespace shardlab::test
