-- Shows imap-proxy whether a password for all accounts is set, and since when, without access to
-- the password.
grant select (key, updated_at) on sealed_settings to posthorn_imap_proxy;
