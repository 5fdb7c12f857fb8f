-- Logins in URLs of webhooks and proxies are sealed inside the URL. auth-bridge seals stored
-- plaintext logins, and replaces each login by the same one sealed with a new key. It can write no
-- other column of these rows.
grant update (value) on settings to posthorn_auth_bridge;
grant update (webhooks, proxy) on accounts to posthorn_auth_bridge;
grant select (id, target_url), update (target_url) on webhook_routes to posthorn_auth_bridge;
grant select (proxy), update (proxy) on outbox to posthorn_auth_bridge;
grant select (event_id, account_target), update (account_target) on events to posthorn_auth_bridge;
