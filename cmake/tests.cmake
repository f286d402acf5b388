# tests/<group>/*.cpp -> one program tests_<group>; tests/*.py and tests/<group>/*_test.py -> one test each, run by
# Debian's python3, which has h5py.
find_package(GTest REQUIRED)
find_library(MYRIAD_MPFR mpfr REQUIRED)
find_library(MYRIAD_GMP gmp REQUIRED)
mark_as_advanced(MYRIAD_MPFR MYRIAD_GMP)
include(GoogleTest)

file(GLOB test_sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "tests/*/*.cpp")
if(NOT MYRIAD_CUDA_FOUND)
    list(FILTER test_sources EXCLUDE REGEX "^tests/cuda/")
endif()
list(REMOVE_ITEM test_sources tests/text/counted_readers.cpp)
set(groups "")
# Tests that wait for the library, and not for what they compute themselves, are compiled without optimization; kernels
# on numbers of the tests' own take a third less to compile than at -O2. Readers of large texts need it: the linker takes
# the test's copy of a library's templates.
set(groups_without_computations bench cuda ensemble house properties same_bits validation)
foreach(source IN LISTS test_sources)
    string(REGEX REPLACE "^tests/([^/]+)/.*" "\\1" group "${source}")
    if(NOT TARGET tests_${group})
        add_executable(tests_${group})
        target_compile_definitions(tests_${group} PRIVATE MYRIAD_COMPILED_QUICKLY
            "MYRIAD_SOURCE_DIR=\"${CMAKE_CURRENT_SOURCE_DIR}\"" "MYRIAD_PROGRAM=\"${CMAKE_BINARY_DIR}/myriad\"")
        target_link_libraries(tests_${group} PRIVATE myriad_host myriad_kernels myriad_warnings_kernels
            GTest::gtest_main GTest::gmock Eigen3::Eigen nlohmann_json::nlohmann_json Boost::headers myriad_hdf5
            "${MYRIAD_MPFR}" "${MYRIAD_GMP}" Threads::Threads)
        # g++ takes the macros of GoogleTest for an `else` of the `if` before them.
        target_compile_options(tests_${group} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-dangling-else>)
        if(group IN_LIST groups_without_computations)
            target_compile_options(tests_${group} PRIVATE -O0)
        else()
            target_compile_options(tests_${group} PRIVATE -O1)
        endif()
        install(TARGETS tests_${group} DESTINATION tests)
        list(APPEND groups tests_${group})
    endif()
    target_sources(tests_${group} PRIVATE "${source}")
endforeach()
# The longest one to compile, beside the rest of its folder.
set_source_files_properties(tests/topology/sized_joint_topology_test.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
foreach(group IN LISTS groups)
    myriad_join_sources(${group})
    string(REPLACE "tests_" "" name ${group})
    if(name IN_LIST groups_without_computations)
        myriad_precompile(${group} unoptimized_tests)
    else()
        myriad_precompile(${group} tests)
    endif()
endforeach()
target_sources(tests_energy_momentum PRIVATE tests/mechanism/kernel_runs.cpp tests/mechanism/newton_solve.cpp)
target_sources(tests_joint_coordinates PRIVATE tests/mechanism/kernel_runs.cpp)
# Readers whose branches are counted, and the bytes that they copy or search: their own copy, in place of the library's.
file(GLOB counted_sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "host/text/*.cpp")
list(REMOVE_ITEM counted_sources host/text/version.cpp)
add_library(myriad_counted_readers OBJECT ${counted_sources} tests/text/counted_readers.cpp)
target_compile_options(myriad_counted_readers PRIVATE -O1 -fsanitize-coverage=trace-pc)
target_link_libraries(myriad_counted_readers PRIVATE myriad_kernels nlohmann_json::nlohmann_json)
myriad_join_sources(myriad_counted_readers)
target_sources(tests_text PRIVATE $<TARGET_OBJECTS:myriad_counted_readers>)
target_link_options(tests_text PRIVATE "LINKER:--wrap=memmove,--wrap=memcpy,--wrap=memchr")
# Each reader under libFuzzer: `./dev check fuzz`. They take the readers' rooms alone, whose compilation is short; that of
# result files is its sources without the rooms before it.
if(MYRIAD_FUZZERS)
    add_custom_target(fuzzers)
    file(GLOB_RECURSE result_sources CONFIGURE_DEPENDS "host/results/*.cpp")
    foreach(reader IN ITEMS expression mechanism study table result code)
        set(kind text)
        if(reader STREQUAL "result")
            set(kind file)
        elseif(reader STREQUAL "code")
            set(kind code)
        endif()
        add_executable(fuzz_${reader} EXCLUDE_FROM_ALL tests/fuzz/libfuzzer/fuzz_target.cpp)
        target_compile_definitions(fuzz_${reader} PRIVATE "MYRIAD_SOURCE_DIR=\"${CMAKE_CURRENT_SOURCE_DIR}\""
            "MYRIAD_FUZZED_READER=\"${reader}\"" MYRIAD_FUZZED_READERS=${kind}_readers)
        target_link_options(fuzz_${reader} PRIVATE -fsanitize=fuzzer)
        if(kind STREQUAL "file")
            target_sources(fuzz_${reader} PRIVATE tests/fuzz/file_readers.cpp ${result_sources})
            target_link_libraries(fuzz_${reader} PRIVATE myriad_text myriad_hdf5 myriad_warnings_kernels)
        elseif(kind STREQUAL "code")
            target_sources(fuzz_${reader} PRIVATE tests/fuzz/traced_code.cpp)
            target_link_libraries(fuzz_${reader} PRIVATE myriad_graph myriad_warnings_kernels)
        else()
            target_sources(fuzz_${reader} PRIVATE tests/fuzz/readers.cpp)
            target_link_libraries(fuzz_${reader} PRIVATE myriad_study myriad_warnings_kernels nlohmann_json::nlohmann_json)
        endif()
        add_dependencies(fuzzers fuzz_${reader})
    endforeach()
endif()
# Stands for libcuda, cuBLAS and cuSOLVER where there is no GPU; opened by its path, as they are.
if(TARGET tests_cuda)
    add_library(myriad_mock_cuda SHARED tests/cuda/mock/mock_driver.cpp)
    if(NOT MYRIAD_WITHOUT_CUDA_SOLVERS)
        target_sources(myriad_mock_cuda PRIVATE tests/cuda/mock/mock_solvers.cpp)
    endif()
    target_include_directories(myriad_mock_cuda SYSTEM PRIVATE "${MYRIAD_CUDA_INCLUDE_DIR}")
    target_link_libraries(myriad_mock_cuda PRIVATE myriad_kernels myriad_warnings_kernels)
    set_target_properties(myriad_mock_cuda PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
    add_dependencies(tests_cuda myriad_mock_cuda)
    target_compile_definitions(tests_cuda PRIVATE "MYRIAD_MOCK_CUDA_DRIVER=\"$<TARGET_FILE:myriad_mock_cuda>\"")
endif()
# Ends what hangs. No test measures or limits time itself, as a busy machine may take many times as long.
set(longest_wait_s 7200)
# `ctest -L quick` is for the inner loop, a minute or two in all; `ctest -L full` is what `./dev test --full` runs: ctest
# compares labels by pattern. Suites that take seconds are left out of the first. `ctest -L kernels`, which is for
# `./dev check kernels`, compiles the GPU kernels that no machine without a GPU runs; one of each kind is in the others.
set(kernel_suites
    *EveryMember.*_rk67_* *EveryMember.*_ode23_* *EveryMember.*_dopri5_* *EveryMember.*_cardan_* *EveryMember.*_euler_*
    *EveryMember.*_momentum_* *EveryMember.*_midpoint_*
    *SmallMechanism.*_momentum* *SmallMechanism.*_livens_* *SmallMechanism.*/double_pendulum_* *SmallMechanism.*_ed_alpha
    *BundledMechanismKernels.* Catalog/TracedKernels.* KernelCompilation.* RenewalKernels.*
    *TracedKernelGates.OfStudiesCompile/puma560_* *TracedKernelGates.OfStudiesCompile/four_link_*
    *TracedKernelGates.OfStudiesCompile/slider_crank_haug_*)
set(slow_suites
    # every member of the catalog
    *BitsOf* *SameBits.* *Launches.* *Twins.* *Order.* *StepControl.* *EveryReduction.*
    *ContactBackends.* *EveryMember.* *SmallMechanism.* RenewalKernels.* Failures.OneNanAmongAThousand*
    # many mechanisms or long motions
    *RandomMechanisms.* *RandomJointMechanisms.* *CoupledTrees.* *ContactTwin/*
    LinearTwin.* LongRuns.* Mechanisms.* ReactionOrders.* ModifiedNewton.* ConvectiveMethod.*
    HamiltonianMethods.* MidpointRule.* Drivers.* *EnergyMomentumLanes.* Each/Twin.* Each/Motion.* Each/Forces.* Scenes.*
    PublishedCrank.* ThreeMassesTest.* FlexibleSliderCrank.* RodDamping.*
    *BundledContact.* LieAgainstChart.* *MechanismContactLaws.* MechanismImpactCount/* JointImpact*
    JointCoordinates.* StrikesWithinAStep* Prox.* ContactOperations.* SetValuedFriction.* ExplicitRows.*
    # many numbers
    Elementary.* *FirstOrderIndex.* IntervalCoverage.* ResultFile.ReadsTheSame* MechanismRefusals.CountsBeforeItBuilds
    # compilers, processes and disks
    OfFewHinges/* *TracedKernelGates* StepsOfAStudy.* *TracedContact* *CText* *CudaText* KernelCache.* StandIn* TrialProcess.* InputFile.* *EveryReader.*
    KilledRun.* FullDisk.* *ValidationCase* DrivenMotions.*)
list(JOIN slow_suites ":" slow_suites)
list(JOIN kernel_suites ":" kernel_suites)
# The short set of `./dev test`, in three processes of each program: the tests that tests/capabilities.txt names, the others
# that are quick, and a sample of the slow ones, whose numbers are MYRIAD_SAMPLE modulo MYRIAD_SAMPLES. A script is in the
# short set if that file names it.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/capabilities.txt")
file(STRINGS "${CMAKE_CURRENT_SOURCE_DIR}/tests/capabilities.txt" named_tests REGEX "^    ")
list(TRANSFORM named_tests STRIP)
list(REMOVE_DUPLICATES named_tests)
set(short_scripts ${named_tests})
list(FILTER short_scripts INCLUDE REGEX "\\.py$")
list(FILTER named_tests EXCLUDE REGEX "\\.py$")
list(JOIN named_tests ":" named_tests)
set(as_sample "GTEST_TOTAL_SHARDS=\${MYRIAD_SAMPLES:-20} GTEST_SHARD_INDEX=\${MYRIAD_SAMPLE:-0} exec \"$0\" \"$@\"")
foreach(group IN LISTS groups)
    add_test(NAME ${group}/quick COMMAND ${group} --gtest_brief=1
             "--gtest_filter=-${slow_suites}:${kernel_suites}:${named_tests}")
    add_test(NAME ${group}/named COMMAND ${group} --gtest_brief=1 "--gtest_filter=${named_tests}")
    add_test(NAME ${group}/sample COMMAND sh -c "${as_sample}" "$<TARGET_FILE:${group}>" --gtest_brief=1
             "--gtest_filter=${slow_suites}-${kernel_suites}:${named_tests}")
    set_tests_properties(${group}/quick ${group}/named PROPERTIES TIMEOUT ${longest_wait_s} LABELS short)
    set_tests_properties(${group}/sample PROPERTIES TIMEOUT ${longest_wait_s} LABELS sample)
endforeach()
foreach(group IN LISTS groups)
    add_dependencies(${group} myriad)
    gtest_discover_tests(${group} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT ${longest_wait_s} TEST_FILTER "-${slow_suites}:${kernel_suites}"
                         TEST_LIST ${group}_quick PROPERTIES TIMEOUT ${longest_wait_s} LABELS full.quick)
    gtest_discover_tests(${group} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT ${longest_wait_s} TEST_FILTER "${slow_suites}-${kernel_suites}"
                         TEST_LIST ${group}_slow PROPERTIES TIMEOUT ${longest_wait_s} LABELS full)
endforeach()
if(TARGET tests_cuda)
    gtest_discover_tests(tests_cuda DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT ${longest_wait_s} TEST_FILTER "${kernel_suites}"
                         TEST_LIST tests_cuda_kernels PROPERTIES TIMEOUT ${longest_wait_s} LABELS kernels)
endif()

find_program(MYRIAD_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
mark_as_advanced(MYRIAD_PYTHON)
file(GLOB python_tests CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "tests/*.py" "tests/*/*_test.py")
# Searches at random that `./dev check long` prolongs.
set(searches bits/compiled_steps_test.py program/hostile_result_test.py program/hostile_inputs_test.py
    python/test_processes.py)
function(myriad_label_script script)
    string(REGEX REPLACE "^tests/" "" name "${script}")
    set(labels full)
    if(name IN_LIST searches)
        list(APPEND labels long)
    endif()
    if(name IN_LIST short_scripts)
        list(APPEND labels short)
    endif()
    # The longest ones begin first, so that no processor waits at the end.
    set_tests_properties(${script} PROPERTIES TIMEOUT ${longest_wait_s} COST 100 LABELS "${labels}")
endfunction()
if(MYRIAD_PYTHON)
    foreach(script IN LISTS python_tests)
        add_test(NAME ${script} COMMAND "${MYRIAD_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/${script}")
        set_tests_properties(${script} PROPERTIES ENVIRONMENT
            "MYRIAD_SOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR};MYRIAD_PROGRAM=${CMAKE_BINARY_DIR}/myriad")
        myriad_label_script(${script})
    endforeach()
endif()

# The recorded bits: a share in the short set, all in the full one.
if(MYRIAD_PYTHON)
    set(check_bits "${MYRIAD_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/tests/bits/bits.py" check "$<TARGET_FILE:myriad>" --jobs 2)
    add_test(NAME bits/sample COMMAND sh -c "exec \"$@\" --sample \${MYRIAD_SAMPLE:-0} 6" sh ${check_bits})
    add_test(NAME bits/all COMMAND ${check_bits})
    set_tests_properties(bits/sample bits/all PROPERTIES TIMEOUT ${longest_wait_s} COST 100 PROCESSORS 2)
    set_property(TEST bits/sample PROPERTY LABELS sample)
    set_property(TEST bits/all PROPERTY LABELS full)
endif()

# tests/python/test_*.py: the Python package, by pytest, which says why it skips a test. It ends with 5 where all tests of a
# file need a package that is not there. MYRIAD_TEST_PACKAGES: a folder of packages that Debian does not have (./dev test).
if(MYRIAD_PYTHON_PACKAGE)
    file(GLOB package_tests CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "tests/python/test_*.py")
    set(python_path "${CMAKE_BINARY_DIR}/python")
    if(MYRIAD_TEST_PACKAGES)
        string(APPEND python_path ":${MYRIAD_TEST_PACKAGES}")
    endif()
    foreach(script IN LISTS package_tests)
        add_test(NAME ${script} COMMAND "${Python_EXECUTABLE}" -m pytest -q -rs -p no:cacheprovider
                 -W ignore::myriad.MyriadWarning "${CMAKE_CURRENT_SOURCE_DIR}/${script}")
        set_tests_properties(${script} PROPERTIES SKIP_RETURN_CODE 5 ENVIRONMENT
            "MYRIAD_SOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR};MYRIAD_PROGRAM=${CMAKE_BINARY_DIR}/myriad;PYTHONPATH=${python_path};PYTHONDONTWRITEBYTECODE=1")
        myriad_label_script(${script})
    endforeach()
endif()
