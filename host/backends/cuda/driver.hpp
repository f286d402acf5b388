// The CUDA driver, opened while the program runs, and the objects it hands out.
//
// The library is libcuda.so.1 as the loader finds it, or the one in the environment variable MYRIAD_CUDA_DRIVER. Every
// failure is a UserError with exit code 3: the action, and CUDA's own name and sentence for the failure.
#pragma once
#include <cuda.h>

#include <cstddef>
#include <memory>
#include <string>

namespace myriad::backends::cuda {

// Entry points with the types of cuda.h.
struct DriverFunctions {
    decltype(&cuInit) init;
    decltype(&cuGetErrorName) error_name;
    decltype(&cuGetErrorString) error_string;
    decltype(&cuDeviceGetCount) device_count;
    decltype(&cuDeviceGet) device;
    decltype(&cuDeviceGetName) device_name;
    decltype(&cuDeviceGetAttribute) device_attribute;
    decltype(&cuDevicePrimaryCtxRetain) retain_context;
    decltype(&cuDevicePrimaryCtxRelease) release_context;
    decltype(&cuCtxSetCurrent) set_context;
    decltype(&cuMemGetInfo) memory_information;
    decltype(&cuMemAlloc) allocate;
    decltype(&cuMemFree) free;
    decltype(&cuMemHostAlloc) allocate_host;
    decltype(&cuMemFreeHost) free_host;
    decltype(&cuMemcpyHtoDAsync) upload;
    decltype(&cuMemcpyDtoHAsync) download;
    decltype(&cuMemcpy2DAsync) copy_rows;
    decltype(&cuMemsetD8Async) fill_bytes;
    decltype(&cuStreamCreate) create_stream;
    decltype(&cuStreamDestroy) destroy_stream;
    decltype(&cuStreamSynchronize) synchronize;
    decltype(&cuStreamWaitEvent) wait_for;
    decltype(&cuEventCreate) create_event;
    decltype(&cuEventDestroy) destroy_event;
    decltype(&cuEventRecord) record;
    decltype(&cuEventQuery) query;
    decltype(&cuEventElapsedTime) elapsed;
    decltype(&cuModuleLoadData) load_module;
    decltype(&cuModuleUnload) unload_module;
    decltype(&cuModuleGetFunction) module_function;
    decltype(&cuLaunchKernel) launch;
};

// One of the devices that CUDA shows (CUDA_VISIBLE_DEVICES chooses), with its primary context.
class Device {
  public:
    // The device with this number, from 0 on, modulo how many there are. Null where there is no driver, or no device;
    // `why` then says so in a sentence.
    static std::shared_ptr<const Device> open(std::string& why, int number = 0);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    const DriverFunctions& call() const { return functions_; }
    // Throws where `result` is an error; `doing` completes "while ...".
    void require(CUresult result, const std::string& doing) const;
    // Makes the device the calling thread's, without which CUDA refuses nearly every call. The objects below do so
    // themselves when they are made, grow or go.
    void use() const;
    void use_if_possible() const noexcept { functions_.set_context(context_); }

    const std::string& name() const { return name_; }
    const std::string& place() const { return place_; }                // ", GPU 1 of 4"; "" of the only one
    const std::string& architecture() const { return architecture_; }  // "sm_90"
    int multiprocessors() const { return multiprocessors_; }
    int number() const { return static_cast<int>(device_); }  // among those that CUDA shows
    int devices() const { return devices_; }                  // how many these are
    std::size_t free_bytes() const;
    std::size_t total_bytes() const;

  private:
    explicit Device(const DriverFunctions& functions) : functions_(functions) {}

    DriverFunctions functions_;
    CUdevice device_ = 0;
    CUcontext context_ = nullptr;
    std::string name_, place_, architecture_;
    int multiprocessors_ = 0, devices_ = 1;
};

// One array on the device, or page-locked on the host; both grow and never shrink.
class DeviceArray {
  public:
    explicit DeviceArray(std::shared_ptr<const Device> device) : device_(std::move(device)) {}
    ~DeviceArray();
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    void reserve(std::size_t bytes);  // what it held is lost where it grows
    CUdeviceptr address() const { return address_; }

  private:
    std::shared_ptr<const Device> device_;
    CUdeviceptr address_ = 0;
    std::size_t bytes_ = 0;
};
class HostArray {
  public:
    explicit HostArray(std::shared_ptr<const Device> device) : device_(std::move(device)) {}
    ~HostArray();
    HostArray(const HostArray&) = delete;
    HostArray& operator=(const HostArray&) = delete;
    void reserve(std::size_t bytes);
    std::byte* data() const { return static_cast<std::byte*>(address_); }

  private:
    std::shared_ptr<const Device> device_;
    void* address_ = nullptr;
    std::size_t bytes_ = 0;
};

class Event {
  public:
    explicit Event(std::shared_ptr<const Device> device);
    ~Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    CUevent handle() const { return event_; }
    // Whether everything before it is done. Throws where that failed.
    bool reached() const;
    double seconds_since(const Event& earlier) const;

  private:
    std::shared_ptr<const Device> device_;
    CUevent event_ = nullptr;
};

class Stream {
  public:
    explicit Stream(std::shared_ptr<const Device> device);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    CUstream handle() const { return stream_; }
    void record(const Event& event) const;
    void wait_for(const Event& event) const;
    void synchronize() const;

  private:
    std::shared_ptr<const Device> device_;
    CUstream stream_ = nullptr;
};

class Module {
  public:
    Module(std::shared_ptr<const Device> device, const std::string& cubin);
    ~Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;
    CUfunction function(const char* name) const;

  private:
    std::shared_ptr<const Device> device_;
    CUmodule module_ = nullptr;
};

}  // namespace myriad::backends::cuda
