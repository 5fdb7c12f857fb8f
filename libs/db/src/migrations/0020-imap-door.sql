-- Whether there is a password for all accounts, and since when: the password itself stays out of the door's reach.
grant select (key, updated_at) on sealed_settings to posthorn_imap_proxy;
