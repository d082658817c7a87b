// The library's errors as exceptions of trainyard.errors.
//
// Threads: with the interpreter's lock.
#pragma once

namespace trainyard::python {

/// From here on, whatever the module's functions throw.
void translate_errors();

}  // namespace trainyard::python
