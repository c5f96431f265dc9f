"""How lit runs this folder.

Tools come from build/bin, FileCheck and its kin from LLVM. With
`--param roundtrip=1` every nlp-opt run also prints and re-parses its input
(-verify-roundtrip); tests without nlp-opt are then left out.
"""

import os
import re
import shutil
import subprocess
import sys

import lit.formats

TRUE = ("1", "ON", "TRUE", "YES")

roundtrip = lit_config.params.get("roundtrip", "0") in TRUE


class RoundtripTest(lit.formats.ShTest):
    """ShTest on the files whose RUN lines call nlp-opt."""

    def getTestsForPath(self, testSuite, path_in_suite, litConfig, localConfig):
        path = testSuite.getSourcePath(path_in_suite)
        if os.path.isfile(path):
            with open(path, errors="replace") as source:
                if not re.search(r"RUN:.*\bnlp-opt\b", source.read()):
                    return
        yield from super().getTestsForPath(
            testSuite, path_in_suite, litConfig, localConfig)


def find_python():
    """A Python that has numpy: Debian's, or the first of the path."""
    for python in ("/usr/bin/python3", shutil.which("python3"), sys.executable):
        if python and os.path.exists(python) and subprocess.run(
                [python, "-c", "import numpy"], capture_output=True
        ).returncode == 0:
            return python
    lit_config.fatal("expected a python3 with numpy (python3-numpy)")


# Tests go to worker processes by pickle, which looks the class up by module.
setattr(sys.modules[RoundtripTest.__module__], "RoundtripTest", RoundtripTest)

config.name = "nlp-opt-roundtrip" if roundtrip else "nlp-opt"
config.test_format = (RoundtripTest if roundtrip else lit.formats.ShTest)(False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["fixtures", "unit", "lint", "lib", "Inputs"]
config.test_source_root = os.path.join(config.nlp_source_dir, "test")
config.test_exec_root = os.path.join(
    config.nlp_binary_dir, "test", "roundtrip" if roundtrip else "lit")

tools = os.path.join(config.nlp_binary_dir, "bin")
config.environment["PATH"] = os.pathsep.join(
    [tools, config.llvm_tools_dir, config.environment["PATH"]])
# Open MPI refuses to run as root and on more ranks than cores unless told.
config.environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1"
config.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
config.environment["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
# Compiled binaries are cached apart from the user's own.
config.environment["XDG_CACHE_HOME"] = os.path.join(
    config.nlp_binary_dir, "test", "cache")
# Threads that wait for one another sleep soon: the cores are shared by tests.
config.environment["GOMP_SPINCOUNT"] = "1000"
for name in ("HOME", "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%python", find_python()))
# %exits CODE COMMAND: succeeds when the command exits with that code.
config.substitutions.append(
    ("%exits", "sh " + os.path.join(config.test_source_root, "exits.sh")))
config.substitutions.append(("%fixtures", os.path.join(
    config.test_source_root, "Integration", "fixtures")))
config.substitutions.append(("%nlp_source", config.nlp_source_dir))
config.substitutions.append(("%nlp_build", config.nlp_binary_dir))
if roundtrip:
    config.available_features.add("roundtrip")
    config.substitutions.append(
        (r"(?<![\w./-])nlp-opt(?![\w./-])", "nlp-opt -verify-roundtrip"))

if shutil.which("mpirun"):
    config.available_features.add("mpi")
if config.nlp_cuda.upper() in TRUE and os.path.exists("/dev/nvidia0"):
    config.available_features.add("cuda")
if shutil.which("cbc"):
    config.available_features.add("cbc")
# 560 MB installed: a test of its own, not a part of the set-up.
if shutil.which("chromium"):
    config.available_features.add("chromium")
