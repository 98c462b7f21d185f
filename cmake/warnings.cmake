# waymark_options: the compiler flags that every target of this project links, privately.

add_library(waymark_options INTERFACE)

target_compile_options(waymark_options INTERFACE
    -Wall
    -Wextra
    -Wpedantic
    -Wconversion
    -Wshadow
    -Wmissing-prototypes
    $<$<BOOL:${WAYMARK_WARNINGS_AS_ERRORS}>:-Werror>
    # The same numbers on every machine: no fused multiply-add behind our back, and never fast-math.
    -ffp-contract=off
    # So that the linker can leave out what a library or program never calls.
    -ffunction-sections
    -fdata-sections)

# POSIX, and flock and CPU affinity, which glibc shows only to those who ask.
target_compile_definitions(waymark_options INTERFACE _GNU_SOURCE)
