# myriad_hdf5: the serial C library. Static where it links without Debian's network drivers, because the shared one
# pulls thirty libraries (curl, TLS, LDAP, Kerberos) into the package; else the shared one.
find_path(MYRIAD_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
set(static_hdf5 "")
foreach(name IN ITEMS hdf5_hl hdf5 sz aec z)
    find_library(MYRIAD_STATIC_${name} NAMES lib${name}.a PATH_SUFFIXES hdf5/serial)
    list(APPEND static_hdf5 "${MYRIAD_STATIC_${name}}")
    mark_as_advanced(MYRIAD_STATIC_${name})
endforeach()
list(APPEND static_hdf5 ${CMAKE_DL_LIBS} m)
mark_as_advanced(MYRIAD_HDF5_INCLUDE_DIR)

add_library(myriad_hdf5 INTERFACE)
if(MYRIAD_HDF5_INCLUDE_DIR AND NOT "${static_hdf5}" MATCHES "NOTFOUND")
    set(CMAKE_REQUIRED_INCLUDES "${MYRIAD_HDF5_INCLUDE_DIR}")
    set(CMAKE_REQUIRED_LIBRARIES "${static_hdf5}")
    check_cxx_source_compiles("#include <hdf5.h>
        int main() { return H5Fcreate(\"\", H5F_ACC_TRUNC, H5P_DEFAULT, H5Pcreate(H5P_FILE_ACCESS)) < 0; }"
        MYRIAD_HDF5_LINKS_STATICALLY)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
endif()
if(MYRIAD_HDF5_LINKS_STATICALLY)
    target_include_directories(myriad_hdf5 SYSTEM INTERFACE "${MYRIAD_HDF5_INCLUDE_DIR}")
    # Debian compiles the archives for programs: the only thing that keeps them out of a shared library, as the Python
    # package is one, are glibc's three streams, which they reach by fixed distances. Copies of the archives take them
    # from variables of our own.
    set(hdf5_copies "")
    foreach(archive IN LISTS static_hdf5)
        if(archive MATCHES "/(libhdf5[^/]*)$")
            set(copy "${CMAKE_BINARY_DIR}/hdf5/${CMAKE_MATCH_1}")
            if("${archive}" IS_NEWER_THAN "${copy}")
                file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/hdf5")
                execute_process(COMMAND "${CMAKE_OBJCOPY}" --redefine-sym stdin=myriad_stdin
                    --redefine-sym stdout=myriad_stdout --redefine-sym stderr=myriad_stderr "${archive}" "${copy}"
                    COMMAND_ERROR_IS_FATAL ANY)
            endif()
            list(APPEND hdf5_copies "${copy}")
        else()
            list(APPEND hdf5_copies "${archive}")
        endif()
    endforeach()
    add_library(myriad_standard_streams STATIC "${CMAKE_CURRENT_LIST_DIR}/standard_streams.cpp")
    list(INSERT hdf5_copies 2 myriad_standard_streams)
    target_link_libraries(myriad_hdf5 INTERFACE ${hdf5_copies})
else()
    enable_language(C)
    find_package(HDF5 REQUIRED COMPONENTS C HL)
    find_package(ZLIB REQUIRED)
    target_link_libraries(myriad_hdf5 INTERFACE hdf5::hdf5_hl hdf5::hdf5 ZLIB::ZLIB)
endif()
