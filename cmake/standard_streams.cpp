// The streams of the copied HDF5 archives (hdf5.cmake), which look for glibc's under these names.
#include <cstdio>

extern "C" {
extern FILE* myriad_stdin;
extern FILE* myriad_stdout;
extern FILE* myriad_stderr;
FILE* myriad_stdin = stdin;
FILE* myriad_stdout = stdout;
FILE* myriad_stderr = stderr;
}
