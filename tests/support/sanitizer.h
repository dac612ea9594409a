// SPDX-License-Identifier: Apache-2.0
// Whether a program is built with a sanitizer, which makes all it does several times slower: who measures time has
// nothing to say then.
#pragma once

namespace shardlab::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace shardlab::test

/// For tests that compare measured time with theory.
#define SKIP_IF_SANITIZED()                                                                                            \
    if (shardlab::test::sanitized) QSKIP("what is measured here is time, and that would be a sanitizer's")
