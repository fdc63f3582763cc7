"""An answer and its passages -> what of it they hold, and where they contradict each other."""
