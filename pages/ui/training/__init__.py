"""What the page that trains is made of: the settings of a run, what it costs, how it is followed, steered and compared."""
