"""Published tables and figures beside ours: one module per table or figure."""
