-- The SMTP door counts messages against the limits of tokens, as the gateway counts requests; one row serves both.
grant select, insert, update, delete on token_windows to posthorn_smtp_proxy;
-- Whether there is a password for all accounts, and since when: the password itself stays out of its reach.
grant select (key, updated_at) on sealed_settings to posthorn_smtp_proxy;
