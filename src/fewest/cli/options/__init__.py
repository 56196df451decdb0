"""The options of every command, and the help that explains them."""
