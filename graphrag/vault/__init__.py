"""One opened vault: its snapshot, what of it may be shown, its past, its neighbourhoods, its history."""
