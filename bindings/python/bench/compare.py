"""Speed beside SciPy's cubature, vegas, cubature (PyPI) and torchquad on the same integrands.

Writes FOLDER/python-peers.csv, with --device FOLDER/python-device.csv, and the same to the standard output. Packages that are not
installed are left out; NumPy is enough. On the host everything has one thread. On a device Tessera runs source texts and, where
torch is there, functions of torch; torchquad has its tensors there. The packages take turns, up to REPETITIONS times or SECONDS
of each; a turn is a run, or as many as take 10 ms, for the first one after another package finds its code and data out of the caches. The shortest run counts; everything is compiled before. Errors are true relative errors. What the peers are asked for is in peers.py.
SPDX-License-Identifier: BSD-3-Clause"""
import argparse
import concurrent.futures
import importlib.util
import os
import pathlib
import platform
import subprocess
import sys
import time

import numpy as np
import peers
import tessera
from integrands import CASES, POINT, arrays, exact, tensors, text


TURN = 0.01  # seconds


def there_is(package):
    return importlib.util.find_spec(package) is not None


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def head(name, device):
    """The first line of the files in docs/bench."""
    from importlib.metadata import PackageNotFoundError, version

    if device is None:
        model = [line.partition(":")[2].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
        machine = f"{model[0] if model else platform.machine()}, one of {os.cpu_count()} processors"
    else:
        card = output_of("nvidia-smi", f"--id={device}", "--query-gpu=name,driver_version", "--format=csv,noheader")
        machine = card.replace(", ", ", driver ", 1) or "unknown"
    packages = []
    for package in ("numpy", "numba", "scipy", "cubature", "vegas", "torch", "torchquad"):
        try:
            packages.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            pass
    commit = os.environ.get("TESSERA_COMMIT") or output_of("git", "-C", str(pathlib.Path(__file__).parent), "describe", "--always", "--dirty") or "unknown"
    return f"# {name}; machine: {machine}; compiler: Python {platform.python_version()}, {', '.join(packages)}; commit {commit}"


def jitted(name, d):
    """(function of a point, function of many points), both by numba."""
    import numba

    point = numba.njit(POINT[name])

    @numba.njit
    def many(x):
        out = np.empty(x.shape[0])
        for i in range(x.shape[0]):
            out[i] = point(x[i])
        return out

    many(np.random.rand(4, d)), many(np.asfortranarray(np.random.rand(4, d)))
    return point, many


def ours(f, d, rtol, **options):
    def run():
        r = tessera.integrate(f, np.zeros(d), np.ones(d), rtol=rtol, **options)
        return r.value, r.evaluations, r.success

    return run


def runs(name, d, rtol, wanted, device):
    """(package, form of the function, variant, run)"""
    methods = [m for m, peer in (("cubature", "scipy"), ("vegas", "vegas")) if peer in wanted]
    torch = there_is("torch")
    if device is None:
        forms, point = {"numpy": arrays(name)}, arrays(name)
        if there_is("numba"):
            point, many = jitted(name, d)
            forms = {"numba": many, **forms}
            yield "tessera", "numba", "", ours(point, d, rtol)
        yield "tessera", "numpy", "", ours(forms["numpy"], d, rtol)
        for method in methods:
            yield f"tessera {method}", next(iter(forms)), "", ours(point, d, rtol, method=method)
        for peer in ("scipy", "cubature", "vegas"):
            if peer in wanted and there_is(peer):
                yield from getattr(peers, peer)(forms, d, rtol)
    else:
        source = tessera.source(text(name), language="cuda")
        yield "tessera", "CUDA C++", "", ours(source, d, rtol, device=device)
        for method in methods:
            yield f"tessera {method}", "CUDA C++", "", ours(source, d, rtol, method=method, device=device)
        if torch:
            yield "tessera", "torch", "", ours(tensors(name), d, rtol, device=device)
    if "torchquad" in wanted and torch and there_is("torchquad"):
        yield from peers.torchquad(tensors(name), d, rtol, exact(name, d), device)


def attempted(package, run):
    """What run() returns, or None where it fails, with a line that says why: the others are measured all the same."""
    try:
        return run()
    except Exception as error:
        print(f"{package}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return None


def collected(case, device):
    """All runs of a case; what fails on its way there ends the list."""
    found = []

    def all_of_them():
        for one in runs(*case, device):
            found.append(one)
        return found

    attempted(f"{case[0]} {case[1]}-D", all_of_them)
    return found


def compiled(found, threads):
    """Those of our runs, and all others, that do not fail. Kernels are compiled by several threads."""
    ours = [one for one in found if one[0].startswith("tessera")]
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        results = pool.map(lambda one: attempted(one[0], one[-1]), ours)
    failed = [one for one, result in zip(ours, results) if result is None]
    return [one for one in found if one not in failed]


def measure(name, d, found, repetitions, seconds):
    """Lines of the file for one integrand, from the runs of all packages."""
    found = [(package, form, run, [], []) for package, form, variant, run in found]
    for repetition in range(repetitions):
        for package, form, run, times, results in found:
            if repetition and (sum(times) > seconds or not results):
                continue
            turn = start = time.perf_counter()
            while start - turn < TURN:
                result = attempted(package, run)
                if result is None:
                    break
                now = time.perf_counter()
                results.append(result)
                times.append(now - start)
                start = now
    best = {}  # of the variants of a package: the fastest that claims success, else the one with the most evaluations
    for package, form, run, times, results in found:
        if not results:
            continue
        value, evaluations, claimed = results[-1]
        rank = (1, -min(times)) if claimed else (0, evaluations)
        if (package, form) not in best or rank > best[package, form][0]:
            best[package, form] = (rank, min(times), evaluations, abs(float(value) / exact(name, d) - 1), claimed)
    for (package, form), (_, shortest, evaluations, error, claimed) in best.items():
        yield f'{package},{form},{shortest:.3g},{evaluations},{error:.1e},{"" if claimed is None else int(claimed)}'


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", type=int, help="measure on this CUDA device")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER")
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--seconds", type=float, help="of each package and integrand: 1.5, on a device 0.3")
    arguments = parser.parse_args()
    device = arguments.device
    seconds = arguments.seconds if arguments.seconds is not None else 1.5 if device is None else 0.3
    np.random.seed(5)
    if there_is("torch"):
        import torch

        torch.set_num_threads(1)
    file_name = "python-peers" if device is None else "python-device"
    arguments.out.mkdir(parents=True, exist_ok=True)
    with open(arguments.out / f"{file_name}.csv", "w") as file:
        for line in (head(file_name, device), "integrand,ndim,rtol,package,form,seconds,evaluations,true_error,claimed"):
            print(line, file=file)
            print(line)
        found = {case: collected(case, device) for case in CASES}
        good = compiled([one for case in CASES for one in found[case]], 1 if device is None else min(8, os.cpu_count()))
        lines = 0
        for case in CASES:
            name, d, rtol, _ = case
            for line in measure(name, d, [one for one in found[case] if one in good], arguments.repetitions, seconds):
                print(f"{name},{d},{rtol:g},{line}", file=file, flush=True)
                print(f"{name},{d},{rtol:g},{line}", flush=True)
                lines += 1
    sys.exit(lines == 0)


if __name__ == "__main__":
    main()
