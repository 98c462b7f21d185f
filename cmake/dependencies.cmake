# Every dependency ends up as one imported target, wherever it was found:
# SQLite::SQLite3, zstd::zstd, Threads::Threads, argtable3::argtable3 and, for tests, cmocka::cmocka.

set(WAYMARK_DEPS_DIR ${PROJECT_SOURCE_DIR}/build/deps CACHE PATH
    "Where cmake/install-deps.sh put what the system does not package")
list(APPEND CMAKE_PREFIX_PATH ${WAYMARK_DEPS_DIR})

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/waymark-find-library.cmake)

# As waymark_find_library, but stops if it is not there.
function(waymark_require_library target module header library package)
    waymark_find_library(${target} ${module} ${header} ${library})
    if(NOT TARGET ${target})
        message(FATAL_ERROR "${library} was not found: run `make deps`, or install ${package}.")
    endif()
endfunction()

waymark_require_library(zstd::zstd libzstd zstd.h zstd libzstd-dev)
set(WAYMARK_RUNTIME_LIBRARIES Threads::Threads zstd::zstd) # what libwaymark is linked with

if(WAYMARK_WITH_SQLITE)
    waymark_require_library(SQLite::SQLite3 sqlite3 sqlite3.h sqlite3 libsqlite3-dev)
    list(APPEND WAYMARK_RUNTIME_LIBRARIES SQLite::SQLite3)
endif()

if(WAYMARK_BUILD_PROGRAMS)
    # Upstream, vcpkg and Homebrew bring a CMake package; install-deps.sh may leave only a .pc file.
    find_package(Argtable3 CONFIG QUIET)
    waymark_require_library(argtable3::argtable3 argtable3 argtable3.h argtable3 argtable3)
endif()

if(WAYMARK_BUILD_TESTS)
    waymark_require_library(cmocka::cmocka cmocka cmocka.h cmocka libcmocka-dev)
endif()
