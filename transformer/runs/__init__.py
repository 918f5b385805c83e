"""Runs: what a training is to be, its folder, its process, and everybody who looks on."""
