// The settings that a test gives the mock driver, which stands for libcuda where there is no GPU.
//
// Memory is the host's, filled with noise when taken. Streams are queues whose work is put off until somebody asks for
// it: a query does one piece of the queue it asks about, a wait pulls in just what it waits for. Work that is not
// ordered after what it needs therefore meets memory that is not ready. Kernels are run by the test's own function.
// Where the driver's documentation names CUDA_ERROR_INVALID_CONTEXT, a call asks for a context that is current on its
// thread and still retained. The same file offers what the program takes of cuBLAS and cuSOLVER.
// Environment, read at each call:
//   MYRIAD_MOCK_FREE_BYTES  what cuMemGetInfo says is free (default 1 GiB)
//   MYRIAD_MOCK_FAILURE     no_device, allocation, launch (refused at once) or execution (found by the next query)
#pragma once

extern "C" {
// `launch` points at the kernel's first argument, copied when the kernel was queued; `second` is the second one. Of a
// kernel named by_hand it points at the five of eight bytes.
typedef void (*MockKernel)(const char* kernel, const void* launch, unsigned blocks, unsigned threads, long long second);
typedef void (*SetMockKernel)(MockKernel kernel);  // myriad_mock_set_kernel
// Since the kernel was set: myriad_mock_launches, kernels run; myriad_mock_refusals, calls that found no context.
typedef unsigned long long (*MockCount)();
}
