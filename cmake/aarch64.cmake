# Builds for 64-bit Arm on another machine, from Debian's packages of that architecture beside its own
# (scripts/install_dependencies.sh --arm64). What is built runs through qemu's emulation of the processor
# alone: its threads are this machine's, and its system calls this kernel's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/qemu-aarch64-static)
# pkg-config is this machine's: it looks where the packages of the other architecture are.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
