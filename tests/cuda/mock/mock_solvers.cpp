// The batched solvers of cuBLAS and cuSOLVER that the program opens, on the mock's memory and streams: textbook LU with
// exchange of rows and Cholesky's factors, column after column as the libraries keep them.
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <cmath>
#include <utility>

#include "tests/cuda/mock/mock_queue.hpp"

namespace {

struct Library {
    CUstream stream = nullptr;
};

Library* library_of(void* handle) { return static_cast<Library*>(handle); }

template <class One>
void for_each(Library* library, int count, One one) {
    mock::add(mock::queue_of(library->stream), [=] {
        for (int i = 0; i < count; ++i) one(i);
        return CUDA_SUCCESS;
    });
}

// 0, or the number of the first column without a pivot.
int factor_lu(double* a, int n, int* pivots) {
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k; i < n; ++i)
            if (std::fabs(a[k * n + i]) > std::fabs(a[k * n + pivot])) pivot = i;
        pivots[k] = pivot + 1;
        if (a[k * n + pivot] == 0.0) return k + 1;
        for (int j = 0; j < n; ++j) std::swap(a[j * n + k], a[j * n + pivot]);
        for (int i = k + 1; i < n; ++i) {
            a[k * n + i] /= a[k * n + k];
            for (int j = k + 1; j < n; ++j) a[j * n + i] -= a[k * n + i] * a[j * n + k];
        }
    }
    return 0;
}
void solve_lu(const double* a, int n, const int* pivots, double* b) {
    for (int k = 0; k < n; ++k) std::swap(b[k], b[pivots[k] - 1]);
    for (int k = 0; k < n; ++k)
        for (int i = k + 1; i < n; ++i) b[i] -= a[k * n + i] * b[k];
    for (int k = n; k-- > 0;) {
        b[k] /= a[k * n + k];
        for (int i = 0; i < k; ++i) b[i] -= a[k * n + i] * b[k];
    }
}

int factor_cholesky(double* a, int n) {
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < k; ++j)
            for (int i = k; i < n; ++i) a[k * n + i] -= a[j * n + i] * a[j * n + k];
        if (!(a[k * n + k] > 0.0)) return k + 1;
        const double root = std::sqrt(a[k * n + k]);
        for (int i = k; i < n; ++i) a[k * n + i] /= root;
    }
    return 0;
}
void solve_cholesky(const double* a, int n, double* b) {
    for (int k = 0; k < n; ++k) {
        b[k] /= a[k * n + k];
        for (int i = k + 1; i < n; ++i) b[i] -= a[k * n + i] * b[k];
    }
    for (int k = n; k-- > 0;) {
        for (int i = k + 1; i < n; ++i) b[k] -= a[k * n + i] * b[i];
        b[k] /= a[k * n + k];
    }
}

bool without_context() { return mock::context_state() != CUDA_SUCCESS; }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    if (without_context()) return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = reinterpret_cast<cublasHandle_t>(new Library);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    if (without_context()) return CUBLAS_STATUS_NOT_INITIALIZED;
    delete library_of(handle);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    library_of(handle)->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDgetrfBatched(cublasHandle_t handle, int n, double* const a[], int, int* pivots, int* info,
                                   int count) {
    if (without_context()) return CUBLAS_STATUS_EXECUTION_FAILED;
    for_each(library_of(handle), count, [=](int i) { info[i] = factor_lu(a[i], n, pivots + i * n); });
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDgetrsBatched(cublasHandle_t handle, cublasOperation_t, int n, int, const double* const a[], int,
                                   const int* pivots, double* const b[], int, int* info, int count) {
    if (without_context()) return CUBLAS_STATUS_EXECUTION_FAILED;
    *info = 0;
    for_each(library_of(handle), count, [=](int i) { solve_lu(a[i], n, pivots + i * n, b[i]); });
    return CUBLAS_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
    if (without_context()) return CUSOLVER_STATUS_NOT_INITIALIZED;
    *handle = reinterpret_cast<cusolverDnHandle_t>(new Library);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
    if (without_context()) return CUSOLVER_STATUS_NOT_INITIALIZED;
    delete library_of(handle);
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
    library_of(handle)->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDpotrfBatched(cusolverDnHandle_t handle, cublasFillMode_t, int n, double* a[], int,
                                         int* info, int count) {
    if (without_context()) return CUSOLVER_STATUS_EXECUTION_FAILED;
    for_each(library_of(handle), count, [=](int i) { info[i] = factor_cholesky(a[i], n); });
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDpotrsBatched(cusolverDnHandle_t handle, cublasFillMode_t, int n, int, double* a[], int,
                                         double* b[], int, int* info, int count) {
    if (without_context()) return CUSOLVER_STATUS_EXECUTION_FAILED;
    for_each(library_of(handle), count, [=](int i) { solve_cholesky(a[i], n, b[i]); });
    for_each(library_of(handle), 1, [=](int) { *info = 0; });
    return CUSOLVER_STATUS_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
