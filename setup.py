"""Builds the extension by CMake; pyproject.toml has what the package is."""

import os
import pathlib
import re
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

TOP = pathlib.Path(__file__).resolve().parent


def version():
    text = (TOP / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(trainyard VERSION ([0-9.]+)", text).group(1)


class BuildByCMake(build_ext):
    """The preset `python`, for the interpreter that asks for it. TRAINYARD_BUILD_DIR names a folder in which that was
    built before; without it the whole library is compiled, some minutes on a machine of eight cores."""

    def build_extension(self, ext):
        folder = os.environ.get("TRAINYARD_BUILD_DIR", str(pathlib.Path(self.build_temp).resolve() / "cmake"))
        subprocess.run(["cmake", "--preset", "python", "-S", TOP, "-B", folder, f"-DPython_EXECUTABLE={sys.executable}",
                        f"-DPYTHON_EXECUTABLE={sys.executable}"], check=True, cwd=TOP)
        subprocess.run(["cmake", "--build", folder, "--target", "trainyard_python"], check=True)
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        built, = pathlib.Path(folder, "python", "trainyard").glob("_trainyard.*.so")
        self.copy_file(str(built), str(target))


setup(version=version(), packages=["trainyard"], package_dir={"trainyard": "python/trainyard"},
      package_data={"trainyard": ["py.typed", "*.pyi"]}, ext_modules=[Extension("trainyard._trainyard", sources=[])],
      cmdclass={"build_ext": BuildByCMake})
