"""The command line: parses arguments, opens the facade, renders what it returns; decides nothing."""
