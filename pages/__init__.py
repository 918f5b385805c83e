"""The app. Importing it comes before torch, whose threads read once how they are to wait for each other."""

import os

# A thread that waits for others otherwise keeps its core busy. As soon as a training process, or another learner's page, has
# work for that core, a page of many small products takes twenty times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
