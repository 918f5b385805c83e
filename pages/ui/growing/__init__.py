"""The parts of the page on which a run is watched from its first step to its last."""
