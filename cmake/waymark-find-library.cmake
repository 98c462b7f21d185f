# Installed too, because who links the static library needs what that is made of.

find_package(PkgConfig QUIET)

# Gives `target` from pkg-config `module`, else from a plain header and library; makes none if neither is there.
function(waymark_find_library target module header library)
    if(TARGET ${target})
        return()
    endif()
    if(PkgConfig_FOUND)
        pkg_check_modules(waymark_${module} QUIET IMPORTED_TARGET GLOBAL ${module})
        if(waymark_${module}_FOUND)
            # Not an alias: an installed package would name what that stands for.
            add_library(${target} INTERFACE IMPORTED GLOBAL)
            target_link_libraries(${target} INTERFACE PkgConfig::waymark_${module})
            return()
        endif()
    endif()
    find_path(WAYMARK_${library}_INCLUDE_DIR ${header})
    find_library(WAYMARK_${library}_LIBRARY ${library})
    mark_as_advanced(WAYMARK_${library}_INCLUDE_DIR WAYMARK_${library}_LIBRARY)
    if(WAYMARK_${library}_INCLUDE_DIR AND WAYMARK_${library}_LIBRARY)
        add_library(${target} UNKNOWN IMPORTED GLOBAL)
        set_target_properties(${target} PROPERTIES
            IMPORTED_LOCATION ${WAYMARK_${library}_LIBRARY}
            INTERFACE_INCLUDE_DIRECTORIES ${WAYMARK_${library}_INCLUDE_DIR})
    endif()
endfunction()
