#include "host/backends/cuda/driver.hpp"

#include <array>

#include "host/backends/compiled_kernels/cuda_libraries.hpp"
#include "host/text/user_error.hpp"

namespace myriad::backends::cuda {

namespace {

// False where the driver lacks one of them.
bool read_functions(const DynamicLibrary& library, DriverFunctions& f) {
    const bool complete =
        library.take(MYRIAD_SYMBOL(cuInit), f.init) && library.take(MYRIAD_SYMBOL(cuGetErrorName), f.error_name) &&
        library.take(MYRIAD_SYMBOL(cuGetErrorString), f.error_string) &&
        library.take(MYRIAD_SYMBOL(cuDeviceGetCount), f.device_count) &&
        library.take(MYRIAD_SYMBOL(cuDeviceGet), f.device) &&
        library.take(MYRIAD_SYMBOL(cuDeviceGetName), f.device_name) &&
        library.take(MYRIAD_SYMBOL(cuDeviceGetAttribute), f.device_attribute) &&
        library.take(MYRIAD_SYMBOL(cuDevicePrimaryCtxRetain), f.retain_context) &&
        library.take(MYRIAD_SYMBOL(cuDevicePrimaryCtxRelease), f.release_context) &&
        library.take(MYRIAD_SYMBOL(cuCtxSetCurrent), f.set_context) &&
        library.take(MYRIAD_SYMBOL(cuMemGetInfo), f.memory_information) &&
        library.take(MYRIAD_SYMBOL(cuMemAlloc), f.allocate) && library.take(MYRIAD_SYMBOL(cuMemFree), f.free) &&
        library.take(MYRIAD_SYMBOL(cuMemHostAlloc), f.allocate_host) &&
        library.take(MYRIAD_SYMBOL(cuMemFreeHost), f.free_host) &&
        library.take(MYRIAD_SYMBOL(cuMemcpyHtoDAsync), f.upload) &&
        library.take(MYRIAD_SYMBOL(cuMemcpyDtoHAsync), f.download) &&
        library.take(MYRIAD_SYMBOL(cuMemcpy2DAsync), f.copy_rows) &&
        library.take(MYRIAD_SYMBOL(cuMemsetD8Async), f.fill_bytes) &&
        library.take(MYRIAD_SYMBOL(cuStreamCreate), f.create_stream) &&
        library.take(MYRIAD_SYMBOL(cuStreamDestroy), f.destroy_stream) &&
        library.take(MYRIAD_SYMBOL(cuStreamSynchronize), f.synchronize) &&
        library.take(MYRIAD_SYMBOL(cuStreamWaitEvent), f.wait_for) &&
        library.take(MYRIAD_SYMBOL(cuEventCreate), f.create_event) &&
        library.take(MYRIAD_SYMBOL(cuEventDestroy), f.destroy_event) &&
        library.take(MYRIAD_SYMBOL(cuEventRecord), f.record) && library.take(MYRIAD_SYMBOL(cuEventQuery), f.query) &&
        library.take(MYRIAD_SYMBOL(cuModuleLoadData), f.load_module) &&
        library.take(MYRIAD_SYMBOL(cuModuleUnload), f.unload_module) &&
        library.take(MYRIAD_SYMBOL(cuModuleGetFunction), f.module_function) &&
        library.take(MYRIAD_SYMBOL(cuLaunchKernel), f.launch);
    // CUDA 13 renamed this one without changing it; drivers of CUDA 12 have only the old name.
    return complete && (library.take(MYRIAD_SYMBOL(cuEventElapsedTime), f.elapsed) ||
                        library.take("cuEventElapsedTime", f.elapsed));
}

std::string error_text(const DriverFunctions& functions, CUresult result) {
    const char* name = nullptr;
    const char* sentence = nullptr;
    functions.error_name(result, &name);
    functions.error_string(result, &sentence);
    return std::string(name ? name : "unknown error") + " (" + (sentence ? sentence : std::to_string(result)) + ")";
}

const char* remedy_for(CUresult result) {
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return "use a smaller --chunk, observe fewer channels or rows, or free the memory other programs hold on the "
               "GPU";
    if (result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_INVALID_IMAGE)
        return "the compiled kernels do not fit this GPU: remove them from the kernel cache, then run again";
    return "try `--backend cpu`; `nvidia-smi` shows whether the GPU and its driver are sound";
}

}  // namespace

std::shared_ptr<const Device> Device::open(std::string& why, int number) {
    const std::optional<DynamicLibrary> library = open_driver(why);
    if (!library) {
        why = "the NVIDIA driver is not on this machine (" + why + ")";
        return nullptr;
    }
    DriverFunctions functions{};
    if (!read_functions(*library, functions)) {
        why = "the NVIDIA driver on this machine is too old; one for CUDA 12 or later is needed";
        return nullptr;
    }
    int devices = 0;
    CUresult result = functions.init(0);
    if (result == CUDA_SUCCESS) result = functions.device_count(&devices);
    if (result != CUDA_SUCCESS || devices == 0) {
        why = "the NVIDIA driver is there but shows no GPU" +
              (result == CUDA_SUCCESS ? std::string() : ": " + error_text(functions, result));
        return nullptr;
    }

    const std::shared_ptr<Device> device(new Device(functions));
    device->devices_ = devices;
    try {
        device->require(functions.device(&device->device_, number % devices), "asking for the GPU");
        std::array<char, 256> name{};
        device->require(functions.device_name(name.data(), static_cast<int>(name.size()), device->device_),
                        "asking for the GPU's name");
        device->name_ = name.data();
        if (devices > 1)
            device->place_ = ", GPU " + std::to_string(number % devices) + " of " + std::to_string(devices);
        int major = 0, minor = 0;
        const auto attribute = [&](int& value, CUdevice_attribute which) {
            device->require(functions.device_attribute(&value, which, device->device_), "asking what the GPU is");
        };
        attribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
        attribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        attribute(device->multiprocessors_, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
        device->architecture_ = "sm_" + std::to_string(major) + std::to_string(minor);
        device->require(functions.retain_context(&device->context_, device->device_), "opening " + device->name_);
    } catch (const UserError& error) {
        why = error.what_is_wrong();
        return nullptr;
    }
    return device;
}

Device::~Device() {
    if (context_) functions_.release_context(device_);
}

void Device::require(CUresult result, const std::string& doing) const {
    if (result == CUDA_SUCCESS) return;
    throw UserError(ExitCode::device, name_.empty() ? "cuda" : name_,
                    "while " + doing + ": " + error_text(functions_, result), remedy_for(result));
}

void Device::use() const { require(functions_.set_context(context_), "turning to the GPU"); }

std::size_t Device::free_bytes() const {
    std::size_t free = 0, total = 0;
    require(functions_.memory_information(&free, &total), "asking for free memory");
    return free;
}
std::size_t Device::total_bytes() const {
    std::size_t free = 0, total = 0;
    require(functions_.memory_information(&free, &total), "asking for the memory");
    return total;
}

DeviceArray::~DeviceArray() {
    if (!address_) return;
    device_->use_if_possible();
    device_->call().free(address_);
}
void DeviceArray::reserve(std::size_t bytes) {
    if (bytes <= bytes_) return;
    device_->use();
    if (address_) device_->require(device_->call().free(address_), "giving memory back");
    address_ = 0, bytes_ = 0;
    device_->require(device_->call().allocate(&address_, bytes),
                     "taking " + std::to_string(bytes) + " bytes of the GPU's memory");
    bytes_ = bytes;
}

HostArray::~HostArray() {
    if (!address_) return;
    device_->use_if_possible();
    device_->call().free_host(address_);
}
void HostArray::reserve(std::size_t bytes) {
    if (bytes <= bytes_) return;
    device_->use();
    if (address_) device_->require(device_->call().free_host(address_), "giving host memory back");
    address_ = nullptr, bytes_ = 0;
    device_->require(device_->call().allocate_host(&address_, bytes, 0),
                     "taking " + std::to_string(bytes) + " bytes of page-locked host memory");
    bytes_ = bytes;
}

Event::Event(std::shared_ptr<const Device> device) : device_(std::move(device)) {
    device_->use();
    device_->require(device_->call().create_event(&event_, CU_EVENT_DEFAULT), "making an event");
}
Event::~Event() {
    device_->use_if_possible();
    device_->call().destroy_event(event_);
}
bool Event::reached() const {
    const CUresult result = device_->call().query(event_);
    if (result == CUDA_ERROR_NOT_READY) return false;
    device_->require(result, "waiting for the kernels");
    return true;
}
double Event::seconds_since(const Event& earlier) const {
    float milliseconds = 0.0f;
    device_->require(device_->call().elapsed(&milliseconds, earlier.event_, event_), "timing the kernels");
    return 1e-3 * static_cast<double>(milliseconds);
}

Stream::Stream(std::shared_ptr<const Device> device) : device_(std::move(device)) {
    device_->use();
    device_->require(device_->call().create_stream(&stream_, CU_STREAM_NON_BLOCKING), "making a stream");
}
Stream::~Stream() {
    device_->use_if_possible();
    device_->call().synchronize(stream_);
    device_->call().destroy_stream(stream_);
}
void Stream::record(const Event& event) const {
    device_->require(device_->call().record(event.handle(), stream_), "recording an event");
}
void Stream::wait_for(const Event& event) const {
    device_->require(device_->call().wait_for(stream_, event.handle(), 0), "ordering streams");
}
void Stream::synchronize() const { device_->require(device_->call().synchronize(stream_), "waiting for the GPU"); }

Module::Module(std::shared_ptr<const Device> device, const std::string& cubin) : device_(std::move(device)) {
    device_->use();
    device_->require(device_->call().load_module(&module_, cubin.data()), "loading the compiled kernels");
}
Module::~Module() {
    device_->use_if_possible();
    device_->call().unload_module(module_);
}
CUfunction Module::function(const char* name) const {
    CUfunction function = nullptr;
    device_->require(device_->call().module_function(&function, module_, name), std::string("looking for ") + name);
    return function;
}

}  // namespace myriad::backends::cuda
