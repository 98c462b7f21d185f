# Toolchain for a big-endian target: Debian's cross compiler, the libraries of install-deps.sh --ci, qemu to run it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_C_COMPILER s390x-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE s390x-linux-gnu)

set(waymark_sysroot ${CMAKE_CURRENT_LIST_DIR}/../build/deps-s390x)
set(CMAKE_FIND_ROOT_PATH ${waymark_sysroot})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_DISABLE_FIND_PACKAGE_PkgConfig ON) # it knows this machine's libraries

# The cross compiler's own libc, and the libraries beside ours.
set(CMAKE_CROSSCOMPILING_EMULATOR
    qemu-s390x -L /usr/s390x-linux-gnu -E LD_LIBRARY_PATH=${waymark_sysroot}/usr/lib/s390x-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${waymark_sysroot}/usr/lib/s390x-linux-gnu")
