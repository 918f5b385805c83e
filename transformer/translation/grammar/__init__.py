"""Small grammars: one meaning, said in English, French and Chinese, with the words that translate each other."""
