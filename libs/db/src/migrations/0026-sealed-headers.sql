-- Values of custom headers of webhooks are sealed in their place. auth-bridge puts the same values, sealed with another key, in the place of those there, and seals
-- those that were stored in the clear: for whom, the account of an event says.
grant update (webhooks_custom_headers) on accounts to posthorn_auth_bridge;
grant select (custom_headers), update (custom_headers) on webhook_routes to posthorn_auth_bridge;
grant select (account) on events to posthorn_auth_bridge;

-- The login of a proxy is opened for who reads it here: it is looked up by the whole address.
create index accounts_by_proxy on accounts using hash (proxy) where proxy is not null;
create index outbox_by_proxy on outbox using hash (proxy) where proxy is not null;
