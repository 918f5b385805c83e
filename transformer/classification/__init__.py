"""The sentiment classifier: labelled sentences, what it learns, what moved its decision."""
