"""What a Leanote account is read from: a server, a dump, or what apps and exporters write."""
