# For a Spack repository: packages/tessera/package.py. SPDX-License-Identifier: BSD-3-Clause
from spack.package import *


class Tessera(CMakePackage):
    """Numerical integration of functions of many variables, on CPU threads and NVIDIA GPUs."""

    # homepage, url and git: where the project is published.
    license("BSD-3-Clause")

    # version("0.1.0", sha256="...")  as scripts/source-archive prints it
    version("main", branch="main")

    variant("cuda", default=False, description="Build the device engine")
    variant("fortran", default=True, description="Build the Fortran module")
    variant("fftw", default=True, description="Construction of lattice rules")
    variant("mpi", default=False, description="Build the plug-in for MPI")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("cuda@12:", when="+cuda")
    depends_on("fftw@3", when="+fftw")
    depends_on("mpi@3:", when="+mpi")

    def cmake_args(self):
        return [
            self.define("TESSERA_TESTS", False),
            self.define("TESSERA_EXAMPLES", False),
            self.define_from_variant("TESSERA_CUDA", "cuda"),
            self.define_from_variant("TESSERA_FORTRAN", "fortran"),
            self.define_from_variant("TESSERA_FFTW", "fftw"),
            self.define_from_variant("TESSERA_MPI", "mpi"),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def selftest(self):
        Executable(self.prefix.bin.tessera)("selftest", "--device", "host")
