# Parts of CUDA on this machine. Nothing of it is linked: the program opens the driver and the run-time compiler when
# it runs. Sets
#   MYRIAD_CUDA_INCLUDE_DIR   cuda.h and nvrtc.h, or MYRIAD_CUDA_INCLUDE_DIR-NOTFOUND
#   MYRIAD_CUDA_LIBRARY_DIRS  where the run-time compiler lies ("a:b"), to be tried after the loader's own folders
#   MYRIAD_NVRTC              the files of the run-time compiler; empty where there is none
#   MYRIAD_NVCC               the offline compiler, which only the device statistics (Thrust) need
set(MYRIAD_CUDA_ROOT "" CACHE PATH "CUDA toolkit, or the folder `./dev` fills with the run-time compiler from PyPI")
set(hints "${MYRIAD_CUDA_ROOT}" "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}" /usr/local/cuda)

# The search starts again if the root has changed or the files have gone since.
if(NOT "${MYRIAD_CUDA_ROOT}" STREQUAL "${MYRIAD_CUDA_ROOT_SEARCHED}" OR NOT EXISTS "${MYRIAD_CUDA_INCLUDE_DIR}")
    unset(MYRIAD_CUDA_INCLUDE_DIR CACHE)
    unset(MYRIAD_NVCC CACHE)
endif()
set(MYRIAD_CUDA_ROOT_SEARCHED "${MYRIAD_CUDA_ROOT}" CACHE INTERNAL "")

find_path(MYRIAD_CUDA_INCLUDE_DIR nvrtc.h HINTS ${hints} PATH_SUFFIXES include)
find_program(MYRIAD_NVCC nvcc HINTS ${hints} PATH_SUFFIXES bin)
# The run-time compiler of the same toolkit as the headers.
file(GLOB MYRIAD_NVRTC "${MYRIAD_CUDA_INCLUDE_DIR}/../lib64/libnvrtc.so*" "${MYRIAD_CUDA_INCLUDE_DIR}/../lib/libnvrtc.so*"
     "${MYRIAD_CUDA_INCLUDE_DIR}/../lib/${CMAKE_LIBRARY_ARCHITECTURE}/libnvrtc.so*")
mark_as_advanced(MYRIAD_CUDA_INCLUDE_DIR MYRIAD_NVCC)

# NVRTC and nvcc take C++20 from CUDA 12 on.
set(cuda_version 0)
if(MYRIAD_CUDA_INCLUDE_DIR AND EXISTS "${MYRIAD_CUDA_INCLUDE_DIR}/cuda.h")
    file(STRINGS "${MYRIAD_CUDA_INCLUDE_DIR}/cuda.h" line REGEX "^#define CUDA_VERSION [0-9]+")
    string(REGEX MATCH "[0-9]+" cuda_version "${line}")
endif()
if(cuda_version GREATER_EQUAL 12000)
    math(EXPR major "${cuda_version} / 1000")
    math(EXPR minor "${cuda_version} % 1000 / 10")
    set(MYRIAD_CUDA_FOUND TRUE)
    set(MYRIAD_CUDA_LIBRARY_DIRS "")
    if(MYRIAD_NVRTC)
        list(GET MYRIAD_NVRTC 0 first)
        cmake_path(GET first PARENT_PATH MYRIAD_CUDA_LIBRARY_DIRS)
        cmake_path(NORMAL_PATH MYRIAD_CUDA_LIBRARY_DIRS)
    endif()
    if(MYRIAD_NVCC)
        message(NOTICE "CUDA: ${major}.${minor} with nvcc")
    else()
        message(NOTICE "CUDA: ${major}.${minor} without nvcc: GPU kernels are compiled at run time, statistics on the CPU")
    endif()
else()
    set(MYRIAD_CUDA_FOUND FALSE)
    message(NOTICE "CUDA: no toolkit of version 12 or later found: this build is CPU-only")
endif()
