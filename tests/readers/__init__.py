"""Random files for everything that reads one: a sane answer, or an error of our own."""
