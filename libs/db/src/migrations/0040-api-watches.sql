-- Registrations for notifications, written by sync-worker under the account's lease.
grant select, insert, update, delete on api_watches to posthorn_sync_worker;
-- Verification of an account reports its notifications.
grant select (account, state, expires_at, renew_at, last_error) on api_watches to posthorn_api_gateway;

-- Pub/Sub: sync-worker reads its applications, without secrets, and writes their state.
grant select (id, provider, enabled, config) on oauth2_apps to posthorn_sync_worker;
grant select, insert, update on pubsub_states to posthorn_sync_worker;
grant select on pubsub_states to posthorn_api_gateway;
