# The parts of the build that exist only with CUDA's headers: the backend, the device statistics, the compiled kernels.
target_compile_definitions(myriad_backends PRIVATE MYRIAD_HAS_CUDA
                           "MYRIAD_CUDA_LIBRARY_DIRS=\"${MYRIAD_CUDA_LIBRARY_DIRS}\"")
target_include_directories(myriad_backends SYSTEM PRIVATE "${MYRIAD_CUDA_INCLUDE_DIR}")
if(NOT MYRIAD_WITHOUT_CUDA_SOLVERS)
    target_compile_definitions(myriad_backends PRIVATE MYRIAD_HAS_CUDA_SOLVERS)
endif()

# Thrust needs the offline compiler. The library is opened at run time, and only where there is a driver.
set(statistics_source "${CMAKE_CURRENT_SOURCE_DIR}/host/backends/cuda/device_statistics.cu")
if(MYRIAD_NVCC AND EXISTS "${statistics_source}")
    find_program(MYRIAD_NVCC_HOST_COMPILER NAMES g++ "${CMAKE_CXX_COMPILER}")
    get_filename_component(toolkit "${MYRIAD_NVCC}" DIRECTORY)
    find_library(MYRIAD_CUDART_STATIC cudart_static HINTS "${toolkit}/.." ${hints} PATH_SUFFIXES lib64 lib REQUIRED)
    mark_as_advanced(MYRIAD_NVCC_HOST_COMPILER MYRIAD_CUDART_STATIC)
    set(statistics_object "${CMAKE_BINARY_DIR}/generated/device_statistics.o")
    add_custom_command(OUTPUT "${statistics_object}"
        COMMAND "${MYRIAD_NVCC}" -ccbin "${MYRIAD_NVCC_HOST_COMPILER}" -c -O3 -std=c++20 -fmad=false
                -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90
                -Xcompiler=-fPIC,-ffp-contract=off,-fno-math-errno,-fvisibility=hidden
                -I "${CMAKE_CURRENT_SOURCE_DIR}" -MD -MF "${statistics_object}.d" -MT generated/device_statistics.o
                -o "${statistics_object}" "${statistics_source}"
        DEPENDS "${statistics_source}" DEPFILE "${statistics_object}.d"
        COMMENT "Compiling the device statistics with nvcc" VERBATIM)
    add_library(myriad_device_statistics SHARED "${statistics_object}" "$<TARGET_OBJECTS:myriad_older_glibc>")
    set_target_properties(myriad_device_statistics PROPERTIES LINKER_LANGUAGE CXX
                          LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
    target_link_options(myriad_device_statistics PRIVATE -Wl,--exclude-libs,ALL)
    target_link_libraries(myriad_device_statistics PRIVATE "${MYRIAD_CUDART_STATIC}" Threads::Threads ${CMAKE_DL_LIBS} rt)
    install(TARGETS myriad_device_statistics DESTINATION lib)
    list(APPEND runtime_targets myriad_device_statistics)
endif()

if(MYRIAD_FILL_KERNEL_CACHE AND MYRIAD_NVRTC AND TARGET myriad)
    file(GLOB studies CONFIGURE_DEPENDS "ensembles/studies/*.json")
    # The start of the large mechanisms takes a minute or more to compile, kernels of contact some seconds: their first
    # run does it, and keeps them. Nobody should wait for them who only builds.
    list(FILTER studies EXCLUDE REGEX "/(four_link|four_bar_loop|slider_crank[a-z_]*|puma560|[a-z]+_sphere|sphere_cradle|box_on_incline|pendulum_wall|scotch_yoke)\\.json$")
    list(FILTER studies EXCLUDE REGEX "/(bouncing_ball|rolling_[a-z]+|sliding_block|three_masses)\\.json$")
    set(stamp "${CMAKE_BINARY_DIR}/kernels/filled")
    add_custom_command(OUTPUT "${stamp}"
        COMMAND myriad compile --into "${CMAKE_BINARY_DIR}/kernels" ${studies}
        COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
        DEPENDS myriad ${studies} ${embedded} COMMENT "Compiling the GPU kernels of the bundled studies" VERBATIM)
    add_custom_target(kernel_cache ALL DEPENDS "${stamp}")
    list(APPEND runtime_targets kernel_cache)
endif()
