// A plug-in as a compiler makes it of headers in which a struct is larger.
#include "trainyard/app/plug_in.hpp"

extern "C" void trainyard_plug_in_layout(trainyard::PlugInLayout* layout);
extern "C" void trainyard_plug_in();

void trainyard_plug_in_layout(trainyard::PlugInLayout* layout) {
  *layout = trainyard::plug_in_layout;
  layout->at(2) += 8;
}

void trainyard_plug_in() {}
