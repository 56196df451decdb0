"""The smallest separating set: exact scans, bit-set search, and proofs in rational arithmetic."""
