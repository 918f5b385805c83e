"""The translator: sentence pairs from small grammars, what it learns, how it decodes."""
