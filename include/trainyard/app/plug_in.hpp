// A library of one's own whose schemes, models, topologies, codecs and readers the installed
// program adds to its tables, without a program of one's own:
//
//   TRAINYARD_PLUG_IN { trainyard::add_scheme(my_scheme()); }
//
//   trainyard --load ./libmine.so compare --schemes ring,mine
//
// It is a shared library that is compiled against the headers of that program and links nothing of
// it (trainyard::plug_in of the package for CMake): what it calls is in the program.
//
// Threads: the main one, before anything else is done.
#pragma once

#include <array>
#include <cstdint>

#include "trainyard/codec/codec.hpp"
#include "trainyard/data/add_reader.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/model/add_model.hpp"
#include "trainyard/runtime/worker.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// What a library and the program that loads it have to agree on, as their compilers see it: how
/// large the structs are that they hand over. Another size is other headers; the same sizes are no
/// proof.
using PlugInLayout = std::array<std::uint64_t, 12>;

#if defined(_GLIBCXX_USE_CXX11_ABI)
inline constexpr std::uint64_t standard_library = _GLIBCXX_USE_CXX11_ABI;
#else
inline constexpr std::uint64_t standard_library = 2;  // another one than GCC's
#endif

inline constexpr PlugInLayout plug_in_layout{
    1,  // counted up where what plug-ins do changes without a size
    standard_library,
    sizeof(Scheme),
    sizeof(HyperparameterInfo),
    sizeof(Worker),
    sizeof(StepSetting),
    sizeof(CodecInfo),
    sizeof(TopologyInfo),
    sizeof(Topology),
    sizeof(OwnModel),
    sizeof(OwnReader),
    sizeof(Dataset),
};

}  // namespace trainyard

/// Once in a library, before the braces with what is added.
#define TRAINYARD_PLUG_IN                                                     \
  extern "C" void trainyard_plug_in_layout(trainyard::PlugInLayout* layout);  \
  extern "C" void trainyard_plug_in();                                        \
  extern "C" void trainyard_plug_in_layout(trainyard::PlugInLayout* layout) { \
    *layout = trainyard::plug_in_layout;                                      \
  }                                                                           \
  extern "C" void trainyard_plug_in()
