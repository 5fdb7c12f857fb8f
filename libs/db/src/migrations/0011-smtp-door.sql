-- smtp-proxy counts messages against the rate limits of tokens, as api-gateway counts requests, in
-- the same row.
grant select, insert, update, delete on token_windows to posthorn_smtp_proxy;
-- Shows smtp-proxy whether a password for all accounts is set, and since when, without access to
-- the password.
grant select (key, updated_at) on sealed_settings to posthorn_smtp_proxy;
