"""What a lesson measures or works out beside the models."""
