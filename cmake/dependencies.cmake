# Every dependency ends up as one imported target, wherever it was found:
# SQLite::SQLite3, zstd::zstd, Threads::Threads, argtable3::argtable3 and, for tests, cmocka::cmocka.

set(WAYMARK_DEPS_DIR ${PROJECT_SOURCE_DIR}/build/deps CACHE PATH
    "Where cmake/install-deps.sh put what the system does not package")
list(APPEND CMAKE_PREFIX_PATH ${WAYMARK_DEPS_DIR})

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig QUIET)

# Gives `target` from pkg-config `module`, else from a plain header and library; stops if neither is there.
function(waymark_find_library target module header library package)
    if(TARGET ${target})
        return()
    endif()
    if(PkgConfig_FOUND)
        pkg_check_modules(waymark_${module} QUIET IMPORTED_TARGET GLOBAL ${module})
        if(waymark_${module}_FOUND)
            add_library(${target} ALIAS PkgConfig::waymark_${module})
            return()
        endif()
    endif()
    find_path(WAYMARK_${library}_INCLUDE_DIR ${header})
    find_library(WAYMARK_${library}_LIBRARY ${library})
    mark_as_advanced(WAYMARK_${library}_INCLUDE_DIR WAYMARK_${library}_LIBRARY)
    if(NOT WAYMARK_${library}_INCLUDE_DIR OR NOT WAYMARK_${library}_LIBRARY)
        message(FATAL_ERROR "${library} was not found: run `make deps`, or install ${package}.")
    endif()
    add_library(${target} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES
        IMPORTED_LOCATION ${WAYMARK_${library}_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${WAYMARK_${library}_INCLUDE_DIR})
endfunction()

waymark_find_library(SQLite::SQLite3 sqlite3 sqlite3.h sqlite3 libsqlite3-dev)
waymark_find_library(zstd::zstd libzstd zstd.h zstd libzstd-dev)

# Upstream, vcpkg and Homebrew bring a CMake package; install-deps.sh may leave only a .pc file.
find_package(Argtable3 CONFIG QUIET)
waymark_find_library(argtable3::argtable3 argtable3 argtable3.h argtable3 argtable3)

if(WAYMARK_BUILD_TESTS)
    waymark_find_library(cmocka::cmocka cmocka cmocka.h cmocka libcmocka-dev)
endif()
