// Block moments and sorted values on the GPU, by Thrust: one thread to a block of 1024 values, with the very function
// of the host, so the moments have the same bits.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <exception>
#include <string>

#include "host/backends/cuda/device_statistics_library.hpp"

namespace {

using myriad::study::block_moments;
using myriad::study::block_size;
using myriad::study::BlockMoments;

struct MomentsOfBlock {
    const double* values;
    const unsigned char* included;
    unsigned long long first, stride, count;
    __host__ __device__ BlockMoments operator()(unsigned long long block) const {
        const unsigned long long start = first + block * stride * block_size;
        const unsigned long long left = (count - start + stride - 1) / stride;
        return block_moments(values + start, included + start, stride, left < block_size ? left : block_size, start);
    }
};

struct ValueAt {
    const double* values;
    unsigned long long first, stride;
    __host__ __device__ double operator()(unsigned long long k) const { return values[first + k * stride]; }
};

struct CountsAt {
    const double* values;
    const unsigned char* included;
    unsigned long long first, stride;
    __host__ __device__ bool operator()(unsigned long long k) const {
        const unsigned long long i = first + k * stride;
        return myriad::study::counts(values[i], included[i]);
    }
};

void fill(MyriadSample& sample) {
    sample.sorted_count = 0;
    if (sample.first >= sample.count) return;
    const unsigned long long taken = (sample.count - sample.first + sample.stride - 1) / sample.stride;
    const unsigned long long blocks = (taken + block_size - 1) / block_size;
    const thrust::device_vector<double> values(sample.values, sample.values + sample.count);
    const thrust::device_vector<unsigned char> included(sample.included, sample.included + sample.count);
    const double* v = thrust::raw_pointer_cast(values.data());
    const unsigned char* m = thrust::raw_pointer_cast(included.data());
    const thrust::counting_iterator<unsigned long long> zero(0);

    thrust::device_vector<BlockMoments> moments(blocks);
    thrust::transform(thrust::device, zero, zero + blocks, moments.begin(),
                      MomentsOfBlock{v, m, sample.first, sample.stride, sample.count});
    thrust::copy(moments.begin(), moments.end(), sample.blocks);

    thrust::device_vector<double> sorted(taken);
    const auto begin = thrust::make_transform_iterator(zero, ValueAt{v, sample.first, sample.stride});
    const auto end = thrust::copy_if(thrust::device, begin, begin + taken, zero, sorted.begin(),
                                     CountsAt{v, m, sample.first, sample.stride});
    thrust::sort(thrust::device, sorted.begin(), end);
    thrust::copy(sorted.begin(), end, sample.sorted);
    sample.sorted_count = static_cast<unsigned long long>(end - sorted.begin());
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const char* myriad_device_statistics_check() {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess) return cudaGetErrorString(error);
    return devices > 0 ? nullptr : "no GPU";
}

extern "C" __attribute__((visibility("default"))) const char* myriad_device_statistics_sample(MyriadSample* sample) {
    static thread_local std::string sentence;
    try {
        fill(*sample);
        return nullptr;
    } catch (const std::exception& error) {
        sentence = error.what();
    }
    return sentence.c_str();
}
