-- Logins in addresses of webhooks and proxies are sealed inside of them. auth-bridge puts the same login, sealed with another key, in the place of the one there, and
-- seals those that were stored in the clear. Nothing else of these rows is its to write.
grant update (value) on settings to posthorn_auth_bridge;
grant update (webhooks, proxy) on accounts to posthorn_auth_bridge;
grant select (id, target_url), update (target_url) on webhook_routes to posthorn_auth_bridge;
grant select (proxy), update (proxy) on outbox to posthorn_auth_bridge;
grant select (event_id, account_target), update (account_target) on events to posthorn_auth_bridge;
