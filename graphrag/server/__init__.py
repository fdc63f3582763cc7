"""The vault over HTTP: endpoints, access, the page. Alone asynchronous; the library runs in threads."""
