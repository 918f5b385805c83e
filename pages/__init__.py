"""The app. Importing it comes before torch, which reads once how many threads it may have."""

import os

# A page's products are so small that a second thread gains little, and it keeps its core busy while it waits: as soon as a
# training process, or another learner's page, has work for that core, a page takes up to twenty times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")
