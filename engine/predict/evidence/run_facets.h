// SPDX-License-Identifier: Apache-2.0
// By what published runs are told apart and chosen.
#pragma once

#include "engine/predict/evidence/published_run.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::predict {

enum class RunFacet : std::uint8_t { Device, Model, Method, Stack, Source };
inline constexpr std::array runFacets{RunFacet::Device, RunFacet::Model, RunFacet::Method, RunFacet::Stack,
                                      RunFacet::Source};

std::string_view name(RunFacet facet);  ///< "device"

/// What the run is in that respect: one value; of methods all that it has (likenessOf()), or "data alone". The model is
/// its kind and number of parameters: "llama, 70.6 G". Model, method and stack of a run that is no layout are unknown,
/// and so it has no value of them.
std::vector<std::string> facetValues(const PublishedRun& run, RunFacet facet);

/// The GPUs of a run that is a layout: "512 × H100 SXM".
std::string devicesText(const PublishedRun& run);

}  // namespace shardlab::predict
