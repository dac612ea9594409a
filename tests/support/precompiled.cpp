// SPDX-License-Identifier: Apache-2.0
// What the precompiled headers of the tests belong to: see shardlab_precompiled in tests/CMakeLists.txt.
