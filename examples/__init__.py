"""Scripts that draw; run them as `python -m examples.NAME FILE.png`."""
