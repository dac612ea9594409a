// SPDX-License-Identifier: Apache-2.0
// The tables of a report of Nsight Systems that nsys exports as SQLite, by the documented schema.
#pragma once

#include <cstdint>

namespace shardlab::test {

/// Process numbers 101 and 102 of machine 1; a thread is added in the lowest bits.
inline constexpr const char* report = R"sql(
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES(1, 'sm90_gemm_bf16'), (2, 'ncclDevKernel_ReduceScatter'), (3, 'cudaLaunchKernel_v7000'), (4, 'forward');
CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1700000000000000000, '', '');
CREATE TABLE TARGET_INFO_SYSTEM_ENV(globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT);
INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(0, '', 'Hostname', 20, 'node-7');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, correlationId INTEGER);
CREATE TABLE ENUM_CUDA_MEMCPY_OPER(id INTEGER, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES(1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device');
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER, end INTEGER, globalPid INTEGER, value INTEGER, bytes INTEGER, correlationId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER, correlationId INTEGER);
CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start INTEGER, globalPid INTEGER, deviceId INTEGER, bytes INTEGER, memoryOperationType INTEGER);
)sql";

inline std::int64_t process(int pid) { return std::int64_t{1} << 48 | std::int64_t{pid} << 24; }

}  // namespace shardlab::test
