"""Files of every kind that can be read in blocks, written from one matrix."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse


def write_npy(folder, X, y):
    np.save(folder / "X.npy", X)
    return folder / "X.npy"


def write_npy_by_columns(folder, X, y):
    np.save(folder / "X.npy", np.asfortranarray(X))
    return folder / "X.npy"


def write_hdf5(folder, X, y, **settings):
    import h5py

    with h5py.File(folder / "X.h5", "w") as file:
        file.create_dataset("X", data=X, **settings)
    return folder / "X.h5"


def write_hdf5_chunks(folder, X, y):
    return write_hdf5(folder, X, y, chunks=(7, 11), compression="gzip")


def as_anndata(X, y):
    import anndata
    import pandas as pd

    names = [f"g{column}" for column in range(X.shape[1])]
    obs = pd.DataFrame({"kind": pd.Categorical([f"k{one}" for one in y])})
    obs.index = [f"s{row}" for row in range(len(y))]
    return anndata.AnnData(X, obs=obs, var=pd.DataFrame(index=names))


def write_h5ad(folder, X, y):
    as_anndata(X, y).write_h5ad(folder / "X.h5ad")
    return folder / "X.h5ad"


def write_csr(folder, X, y):
    return write_h5ad(folder, sparse.csr_matrix(X), y)


def write_csc(folder, X, y):
    return write_h5ad(folder, sparse.csc_matrix(X), y)


def write_zarr(folder, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the next version of the format
        as_anndata(X, y).write_zarr(folder / "X.zarr", chunks=(9, 13))
    return folder / "X.zarr"


def write_zarr_csr(folder, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        as_anndata(sparse.csr_matrix(X), y).write_zarr(folder / "X.zarr")
    return folder / "X.zarr"


def write_parquet(folder, X, y):
    import pandas as pd

    frame = pd.DataFrame(X, columns=[f"g{column}" for column in range(X.shape[1])])
    frame["kind"] = [f"k{one}" for one in y]
    frame.to_parquet(folder / "X.parquet", row_group_size=10, write_page_checksum=True)
    return folder / "X.parquet"


WRITERS = {
    "npy": write_npy,
    "npy by columns": write_npy_by_columns,
    "hdf5": write_hdf5,
    "hdf5 in chunks": write_hdf5_chunks,
    "h5ad": write_h5ad,
    "h5ad csr": write_csr,
    "h5ad csc": write_csc,
    "zarr": write_zarr,
    "zarr csr": write_zarr_csr,
    "parquet": write_parquet,
}


def write_bed(path, genotypes, phenotypes=None, families=None):
    """PLINK's three files; genotypes are 0, 1, 2 copies, or NaN."""
    n, d = genotypes.shape
    codes = np.select(
        [np.isnan(genotypes), genotypes == 2, genotypes == 1], [1, 0, 2], default=3
    ).astype(np.uint8)
    padded = np.zeros((d, 4 * ((n + 3) // 4)), dtype=np.uint8)
    padded[:, :n] = codes.T
    four = padded.reshape(d, -1, 4)
    packed = four[..., 0] | four[..., 1] << 2 | four[..., 2] << 4 | four[..., 3] << 6
    path.write_bytes(b"\x6c\x1b\x01" + packed.tobytes())
    bim = "".join(f"1\trs{j}\t0\t{100 + j}\tA\tG\n" for j in range(d))
    path.with_suffix(".bim").write_text(bim)
    phenotypes = ["1"] * n if phenotypes is None else phenotypes
    families = ["F"] * n if families is None else families
    lines = zip(families, phenotypes, strict=True)
    fam = "".join(f"{family}\tI{i}\t0\t0\t1\t{kind}\n" for i, (family, kind) in enumerate(lines))
    path.with_suffix(".fam").write_text(fam)
    return path
