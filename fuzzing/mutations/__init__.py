"""Ways to damage files: any bytes, archives, documents, and each format by its own structure."""
