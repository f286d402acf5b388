# Kokkos::kokkos with the host space Threads: the machine's own if it has that, else one that build_kokkos makes once per
# compiler and keeps in the user's cache. Debian's binary package is Serial only. OpenMP is not taken: its library leaves a
# file behind for every killed process and stops a later one that meets it, and two of its kind in a process clash.

# In a function of its own folder, so that an unsuitable Kokkos leaves no imported targets behind.
add_subdirectory(cmake/kokkos_of_this_machine)

if(NOT MYRIAD_MACHINE_HAS_KOKKOS)
    if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
        set(cache "$ENV{XDG_CACHE_HOME}")
    else()
        set(cache "$ENV{HOME}/.cache")
    endif()
    string(TOLOWER "${CMAKE_CXX_COMPILER_ID}" compiler)
    string(REGEX MATCH "^[0-9]+" compiler_major "${CMAKE_CXX_COMPILER_VERSION}")
    set(kokkos "${cache}/myriad/kokkos-threads-debian-${compiler}-${compiler_major}")
    if(NOT EXISTS "${kokkos}/lib/cmake/Kokkos/KokkosConfig.cmake")
        execute_process(COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/cmake/build_kokkos" "${CMAKE_CXX_COMPILER}" "${kokkos}"
                        RESULT_VARIABLE failed)
        if(failed)
            message(FATAL_ERROR "There is no Kokkos with Threads here, and building one failed (see above).")
        endif()
    endif()
    set(Kokkos_DIR "${kokkos}/lib/cmake/Kokkos" CACHE PATH "Kokkos with Threads" FORCE)
endif()
find_package(Kokkos 3.4 QUIET REQUIRED)
message(NOTICE "Kokkos: ${Kokkos_VERSION} (${Kokkos_DEVICES})")
