# Headers that most sources of a library read, parsed once for all of them: the standard library's, for the reference path
# Eigen's, for tests GoogleTest's. Only where the sources of a folder are joined, so that a file that lacks an include
# shows where they are not; and not under sanitizers, whose options differ from source to source.
set(headers_of_all <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstdint> <cstdio> <cstring>
    <filesystem> <fstream> <functional> <limits> <map> <memory> <mutex> <numbers> <numeric> <optional> <set> <span> <sstream>
    <stdexcept> <string> <string_view> <thread> <tuple> <utility> <variant> <vector>)
set(headers_of_eigen <Eigen/Dense>)
set(headers_of_tests <Eigen/Dense> <gtest/gtest.h>)
set(headers_of_unoptimized_tests <gtest/gtest.h>)
if(MYRIAD_JOIN_SOURCES AND NOT MYRIAD_SANITIZERS AND NOT MYRIAD_THREAD_SANITIZER)
    set(MYRIAD_PRECOMPILED_HEADERS ON)
    # Without the time in it, ccache knows it again.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
    endif()
else()
    set(MYRIAD_PRECOMPILED_HEADERS OFF)
endif()

# myriad_precompile(<target> <kind>). The first target of each kind compiles its headers, the others take them; so their
# options must be those of the first. Kokkos adds some.
function(myriad_precompile target kind)
    if(NOT MYRIAD_PRECOMPILED_HEADERS)
        return()
    endif()
    get_property(first GLOBAL PROPERTY MYRIAD_PRECOMPILED_${kind})
    if(first)
        target_precompile_headers(${target} REUSE_FROM ${first})
        return()
    endif()
    set(headers ${headers_of_all})
    list(APPEND headers ${headers_of_${kind}})
    list(REMOVE_DUPLICATES headers)
    target_precompile_headers(${target} PRIVATE ${headers})
    set_property(GLOBAL PROPERTY MYRIAD_PRECOMPILED_${kind} ${target})
endfunction()
