# WAYMARK_SANITIZE adds its flags to waymark_options, so that all of our code has them and nothing else.

if(WAYMARK_SANITIZE STREQUAL "address")
    # UBSan comes along, and the first finding ends the program: a report nobody reads is no test.
    set(waymark_sanitize_flags -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(WAYMARK_SANITIZE STREQUAL "thread")
    set(waymark_sanitize_flags -fsanitize=thread)
elseif(WAYMARK_SANITIZE)
    message(FATAL_ERROR "WAYMARK_SANITIZE is \"${WAYMARK_SANITIZE}\"; it can be empty, address or thread.")
endif()

# What libFuzzer needs to see where an input leads; its main program comes with the targets alone.
if(WAYMARK_BUILD_FUZZERS)
    if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
        message(FATAL_ERROR "WAYMARK_BUILD_FUZZERS needs clang; use the preset fuzz, or -DCMAKE_C_COMPILER=clang.")
    endif()
    target_compile_options(waymark_options INTERFACE -fsanitize=fuzzer-no-link)
    target_link_options(waymark_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

if(WAYMARK_SANITIZE)
    target_compile_options(waymark_options INTERFACE ${waymark_sanitize_flags} -fno-omit-frame-pointer)
    target_link_options(waymark_options INTERFACE ${waymark_sanitize_flags})
endif()
