"""The standing proof: random cases of every kind against independent oracles, for as long as asked.

`python -m fuzzing --seconds 60 --seed 1 --jobs 2` tries them in worker processes and counts what
failed. Every failure is printed with the one command that repeats it.
"""
