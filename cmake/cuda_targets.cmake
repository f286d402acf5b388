# The parts of the build that exist only with CUDA's headers: the backend, the kernel sources inside the program, the
# device statistics, the cache of compiled kernels.
file(GLOB_RECURSE kernel_headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "kernels/*.hpp")
file(GLOB ensemble_headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "ensembles/*.hpp")
set(embedded ${kernel_headers} ${ensemble_headers})
list(SORT embedded)
list(JOIN embedded "," embedded_names)
list(TRANSFORM embedded PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
set(embedded_source "${CMAKE_BINARY_DIR}/generated/embedded_files.cpp")
add_custom_command(OUTPUT "${embedded_source}"
    COMMAND "${CMAKE_COMMAND}" "-DROOT=${CMAKE_CURRENT_SOURCE_DIR}" "-DFILES=${embedded_names}"
            "-DOUTPUT=${embedded_source}" -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed_files.cmake"
    DEPENDS ${embedded} "${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed_files.cmake"
    COMMENT "Embedding the kernel headers" VERBATIM)
set_source_files_properties("${embedded_source}" PROPERTIES COMPILE_OPTIONS "-Wno-overlength-strings")
target_sources(myriad_backends PRIVATE "${embedded_source}")

target_compile_definitions(myriad_backends PRIVATE MYRIAD_HAS_CUDA
                           "MYRIAD_CUDA_LIBRARY_DIRS=\"${MYRIAD_CUDA_LIBRARY_DIRS}\"")
target_include_directories(myriad_backends SYSTEM PRIVATE "${MYRIAD_CUDA_INCLUDE_DIR}")
target_link_libraries(myriad_backends PRIVATE ${CMAKE_DL_LIBS})

# Thrust needs the offline compiler. The library is opened at run time, and only where there is a driver.
set(statistics_source "${CMAKE_CURRENT_SOURCE_DIR}/host/backends/cuda/device_statistics.cu")
if(MYRIAD_NVCC AND EXISTS "${statistics_source}")
    set(statistics_library "${CMAKE_BINARY_DIR}/libmyriad_device_statistics.so")
    find_program(MYRIAD_NVCC_HOST_COMPILER NAMES g++ "${CMAKE_CXX_COMPILER}")
    mark_as_advanced(MYRIAD_NVCC_HOST_COMPILER)
    add_custom_command(OUTPUT "${statistics_library}"
        COMMAND "${MYRIAD_NVCC}" -ccbin "${MYRIAD_NVCC_HOST_COMPILER}" -shared -O3 -std=c++20 -fmad=false -cudart static
                -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90
                -Xcompiler=-fPIC,-ffp-contract=off,-fno-math-errno,-fvisibility=hidden,-static-libstdc++,-static-libgcc
                -I "${CMAKE_CURRENT_SOURCE_DIR}" -MD -MF "${statistics_library}.d" -MT libmyriad_device_statistics.so
                -o "${statistics_library}" "${statistics_source}"
        DEPENDS "${statistics_source}" DEPFILE "${statistics_library}.d"
        COMMENT "Compiling the device statistics with nvcc" VERBATIM)
    add_custom_target(device_statistics ALL DEPENDS "${statistics_library}")
    install(PROGRAMS "${statistics_library}" DESTINATION lib)
    list(APPEND runtime_targets device_statistics)
endif()

if(MYRIAD_FILL_KERNEL_CACHE AND MYRIAD_NVRTC AND TARGET myriad)
    file(GLOB studies CONFIGURE_DEPENDS "ensembles/studies/*.json")
    set(stamp "${CMAKE_BINARY_DIR}/kernels/filled")
    add_custom_command(OUTPUT "${stamp}"
        COMMAND myriad compile --into "${CMAKE_BINARY_DIR}/kernels" ${studies}
        COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
        DEPENDS myriad ${studies} ${embedded} COMMENT "Compiling the GPU kernels of the bundled studies" VERBATIM)
    add_custom_target(kernel_cache ALL DEPENDS "${stamp}")
    list(APPEND runtime_targets kernel_cache)
endif()
