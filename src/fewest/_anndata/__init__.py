"""AnnData objects: genes, labels and values, checked as they are read. Needs no anndata itself."""
