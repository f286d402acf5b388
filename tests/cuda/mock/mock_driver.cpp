#include "tests/cuda/mock/mock_driver.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/backends/cuda/driver.hpp"
#include "kernels/system/launch.hpp"
#include "tests/cuda/mock/mock_queue.hpp"
#include "tests/graph/ptx_machine.hpp"

namespace {

using mock::add;
using mock::Queue;
using mock::queue_of;

MockKernel kernel_of_the_test = nullptr;
std::atomic<unsigned long long> launches = 0;

// The primary context lives while somebody retains it; one that is retained after it was gone is another one.
std::atomic<int> holders{0};
std::atomic<std::uintptr_t> living_context{0};
std::atomic<unsigned long long> refusals{0};
// The clock of events: it goes on with each that is recorded.
std::atomic<unsigned long long> ticks{0};
thread_local std::uintptr_t current_context = 0;

// An event stands for the last place it was recorded at.
struct Mark {
    Queue* queue = nullptr;
    unsigned long long place = 0;
    unsigned long long tick = 0;  // a millisecond each
};

std::string failure() {
    const char* given = std::getenv("MYRIAD_MOCK_FAILURE");
    return given ? given : "";
}
std::size_t free_bytes() {
    const char* given = std::getenv("MYRIAD_MOCK_FREE_BYTES");
    return given ? std::strtoull(given, nullptr, 10) : std::size_t{1} << 30;
}

int devices() {
    const char* given = std::getenv("MYRIAD_MOCK_DEVICES");
    return given ? static_cast<int>(std::strtol(given, nullptr, 10)) : 1;
}

// A kernel by its name, with its text if the mock carries that out itself.
using Function = std::pair<std::string, std::string>;
bool moves_columns(const std::string& kernel) { return kernel.ends_with("_columns"); }
// All their parameters are addresses.
std::vector<std::vector<std::byte>> addresses_of(void** arguments) {
    std::vector<std::vector<std::byte>> all(3, std::vector<std::byte>(sizeof(CUdeviceptr)));
    for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(all[i].data(), arguments[i], sizeof(CUdeviceptr));
    return all;
}

CUresult do_one(Queue* queue) {
    const std::function<CUresult()> work = std::move(queue->work.front());
    queue->work.pop_front();
    const CUresult result = work();
    ++queue->done;
    return result;
}
CUresult do_until(Queue* queue, unsigned long long place) {
    while (queue->done < place)
        if (const CUresult result = do_one(queue); result != CUDA_SUCCESS) return result;
    return CUDA_SUCCESS;
}

Mark* mark_of(CUevent event) { return reinterpret_cast<Mark*>(event); }
void* memory_at(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

void* noisy_memory(std::size_t bytes) {
    void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (memory) std::memset(memory, 0x5a, bytes);
    return memory;
}

}  // namespace

CUresult mock::context_state() {
    if (current_context != 0 && current_context == living_context) return CUDA_SUCCESS;
    ++refusals;
    return current_context == 0 ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

#define NEEDS_A_CONTEXT \
    if (const CUresult state = mock::context_state(); state != CUDA_SUCCESS) return state

#pragma GCC visibility push(default)
extern "C" {

void myriad_mock_set_kernel(MockKernel kernel) { kernel_of_the_test = kernel, launches = 0, refusals = 0; }
unsigned long long myriad_mock_launches() { return launches; }
unsigned long long myriad_mock_refusals() { return refusals; }

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult error, const char** text) {
    *text = error == CUDA_ERROR_OUT_OF_MEMORY          ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == CUDA_ERROR_ILLEGAL_ADDRESS      ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : error == CUDA_ERROR_NO_DEVICE            ? "CUDA_ERROR_NO_DEVICE"
            : error == CUDA_ERROR_INVALID_CONTEXT      ? "CUDA_ERROR_INVALID_CONTEXT"
            : error == CUDA_ERROR_CONTEXT_IS_DESTROYED ? "CUDA_ERROR_CONTEXT_IS_DESTROYED"
                                                       : "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** text) {
    *text = "as the test asked";
    return CUDA_SUCCESS;
}
// MYRIAD_MOCK_DRIVER_VERSION: 12040 for CUDA 12.4.
CUresult cuDriverGetVersion(int* version) {
    const char* given = std::getenv("MYRIAD_MOCK_DRIVER_VERSION");
    *version = given ? std::atoi(given) : 13000;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
    *count = devices();
    return failure() == "no_device" ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int number) {
    *device = number;
    return number < devices() ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    const std::string number = device == 0 ? "" : " " + std::to_string(device);
    std::strncpy(name, ("mock GPU" + number).c_str(), static_cast<std::size_t>(length));
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
    *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
             : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                                     : 132;
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
    static std::uintptr_t made = 0;
    if (holders++ == 0) living_context = ++made;
    *context = reinterpret_cast<CUcontext>(living_context.load());
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) {
    if (--holders == 0) living_context = 0;
    return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
    current_context = reinterpret_cast<std::uintptr_t>(context);
    return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t* free, size_t* total) {
    NEEDS_A_CONTEXT;
    *free = free_bytes(), *total = std::size_t{2} << 30;
    return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr* address, size_t bytes) {
    NEEDS_A_CONTEXT;
    void* memory = failure() == "allocation" || bytes > free_bytes() ? nullptr : noisy_memory(bytes);
    *address = reinterpret_cast<CUdeviceptr>(memory);
    return memory ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemFree(CUdeviceptr address) {
    NEEDS_A_CONTEXT;
    std::free(memory_at(address));
    return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** address, size_t bytes, unsigned) {
    NEEDS_A_CONTEXT;
    *address = noisy_memory(bytes);
    return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemFreeHost(void* address) {
    NEEDS_A_CONTEXT;
    std::free(address);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    NEEDS_A_CONTEXT;
    add(queue_of(stream), [=] {
        std::memcpy(memory_at(to), from, bytes);
        return CUDA_SUCCESS;
    });
    return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    NEEDS_A_CONTEXT;
    add(queue_of(stream), [=] {
        std::memcpy(to, memory_at(from), bytes);
        return CUDA_SUCCESS;
    });
    return CUDA_SUCCESS;
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* given, CUstream stream) {
    NEEDS_A_CONTEXT;
    add(queue_of(stream), [copy = *given] {
        const auto* from = static_cast<const char*>(
            copy.srcMemoryType == CU_MEMORYTYPE_HOST ? copy.srcHost : memory_at(copy.srcDevice));
        auto* to =
            static_cast<char*>(copy.dstMemoryType == CU_MEMORYTYPE_HOST ? copy.dstHost : memory_at(copy.dstDevice));
        for (std::size_t row = 0; row < copy.Height; ++row)
            std::memcpy(to + row * copy.dstPitch, from + row * copy.srcPitch, copy.WidthInBytes);
        return CUDA_SUCCESS;
    });
    return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream) {
    NEEDS_A_CONTEXT;
    add(queue_of(stream), [=] {
        std::memset(memory_at(to), value, bytes);
        return CUDA_SUCCESS;
    });
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
    NEEDS_A_CONTEXT;
    *stream = reinterpret_cast<CUstream>(new Queue);
    return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
    NEEDS_A_CONTEXT;
    if (!stream) return CUDA_SUCCESS;  // nobody here queues anything in the default one
    return do_until(queue_of(stream), queue_of(stream)->queued);
}
CUresult cuStreamDestroy(CUstream stream) {
    NEEDS_A_CONTEXT;
    delete queue_of(stream);
    return CUDA_SUCCESS;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
    NEEDS_A_CONTEXT;
    const Mark mark = *mark_of(event);
    add(queue_of(stream), [mark] { return mark.queue ? do_until(mark.queue, mark.place) : CUDA_SUCCESS; });
    return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent* event, unsigned) {
    NEEDS_A_CONTEXT;
    *event = reinterpret_cast<CUevent>(new Mark);
    return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent event) {
    NEEDS_A_CONTEXT;
    delete mark_of(event);
    return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
    NEEDS_A_CONTEXT;
    Mark* mark = mark_of(event);
    add(queue_of(stream), [mark] {
        mark->tick = ++ticks;
        return CUDA_SUCCESS;
    });
    mark->queue = queue_of(stream), mark->place = queue_of(stream)->queued;
    return CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent event) {
    const Mark* mark = mark_of(event);
    if (!mark->queue || mark->queue->done >= mark->place) return CUDA_SUCCESS;
    const CUresult result = do_one(mark->queue);
    if (result != CUDA_SUCCESS) return result;
    return mark->queue->done >= mark->place ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent first, CUevent last) {
    NEEDS_A_CONTEXT;
    for (const Mark* mark : {mark_of(first), mark_of(last)})
        if (mark->queue && mark->queue->done < mark->place) return CUDA_ERROR_NOT_READY;
    *milliseconds = static_cast<float>(mark_of(last)->tick - mark_of(first)->tick);
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    NEEDS_A_CONTEXT;
    const bool is_code = std::memcmp(image, "\177ELF", 4) == 0, is_text = std::memcmp(image, ".version", 8) == 0;
    *module = reinterpret_cast<CUmodule>(new std::string(is_text ? static_cast<const char*>(image) : ""));
    return is_code || is_text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}
CUresult cuModuleUnload(CUmodule module) {
    NEEDS_A_CONTEXT;
    delete reinterpret_cast<std::string*>(module);
    return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    NEEDS_A_CONTEXT;
    static std::set<Function> all;
    const std::string text = moves_columns(name) ? *reinterpret_cast<const std::string*>(module) : "";
    *function = reinterpret_cast<CUfunction>(const_cast<Function*>(&*all.insert({name, text}).first));
    return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                        unsigned, CUstream stream, void** arguments, void**) {
    NEEDS_A_CONTEXT;
    if (failure() == "launch") return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    static_assert(sizeof(myriad::Launch<double>) == sizeof(myriad::Launch<float>));
    const auto& [name, text] = *reinterpret_cast<const Function*>(function);
    if (moves_columns(name)) {
        add(queue_of(stream), [=, &text = text, addresses = addresses_of(arguments)] {
            myriad::graph::PtxMachine machine(text);
            for (unsigned block = 0; block < blocks; ++block) machine.run(addresses, static_cast<int>(block));
            return CUDA_SUCCESS;
        });
        return CUDA_SUCCESS;
    }
    std::vector<char> launch(name == "by_hand" ? 5 * 8 : sizeof(myriad::Launch<double>));
    if (name == "by_hand")
        for (int i = 0; i < 5; ++i) std::memcpy(launch.data() + 8 * i, arguments[i], 8);
    else
        std::memcpy(launch.data(), arguments[0], launch.size());
    const long long second = name == "by_hand" ? 0 : *static_cast<const long long*>(arguments[1]);
    add(queue_of(stream), [=, &name = name] {
        if (failure() == "execution") return CUDA_ERROR_ILLEGAL_ADDRESS;
        kernel_of_the_test(name.c_str(), launch.data(), blocks, threads, second);
        ++launches;
        return CUDA_SUCCESS;
    });
    return CUDA_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
