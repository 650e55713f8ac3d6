"""Work spread over the machines of a Ray cluster (`memcli[ray]`); Ray is imported here alone, where it is used."""
