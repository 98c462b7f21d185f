# cmake --install: both forms of the library, the header, the packages for CMake and pkg-config, the programs with their
# manual pages and completions. Everything is found by its place relative to the rest, so the prefix may be moved.

include(CMakePackageConfigHelpers)

set(waymark_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/waymark)

install(FILES runtime/include/waymark.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(form static dynamic)
    if(TARGET waymark_${form})
        # An export set of its own for each: both name their target waymark::waymark.
        install(TARGETS waymark_${form} EXPORT waymark-${form})
        install(EXPORT waymark-${form}
            FILE waymark-${form}.cmake NAMESPACE waymark:: DESTINATION ${waymark_cmake_dir})
    endif()
endforeach()

configure_package_config_file(cmake/waymark-config.cmake.in ${PROJECT_BINARY_DIR}/waymark-config.cmake
    INSTALL_DESTINATION ${waymark_cmake_dir}
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/waymark-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/waymark-config.cmake
    ${PROJECT_BINARY_DIR}/waymark-config-version.cmake
    cmake/waymark-find-library.cmake
    DESTINATION ${waymark_cmake_dir})

# pkg-config wants the prefix relative to the .pc file; install folders may be absolute, though.
set(waymark_pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH waymark_pc_prefix ${waymark_pc_dir} ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH waymark_pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH waymark_pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
set(waymark_pc_requires libzstd)
if(SQLite::SQLite3 IN_LIST WAYMARK_RUNTIME_LIBRARIES)
    string(APPEND waymark_pc_requires " sqlite3")
endif()
configure_file(cmake/waymark.pc.in ${PROJECT_BINARY_DIR}/waymark.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/waymark.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

foreach(program waymark-build waymark-run)
    if(TARGET ${program})
        install(TARGETS ${program})
        configure_file(docs/man/${program}.1.in ${PROJECT_BINARY_DIR}/man/${program}.1 @ONLY)
        install(FILES ${PROJECT_BINARY_DIR}/man/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
        # Where bash-completion looks for the completion of a command, by its name.
        install(FILES cmake/waymark-completion.bash
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${program})
    endif()
endforeach()
