-- Privileges that no code uses. No code of an earlier release used them either, so the previous
-- release runs on. Deleted applications, accounts and secrets take their rows along by foreign keys,
-- which need no privilege. `list_blocks` stays readable for sender and api-gateway: the previous
-- release reads it, and the migration that drops it removes these privileges.
revoke select on oauth2_apps from posthorn_sync_worker, posthorn_sender, posthorn_imap_proxy, posthorn_smtp_proxy;
revoke select on list_blocks from posthorn_smtp_proxy;
revoke select on account_states from posthorn_sender, posthorn_imap_proxy, posthorn_auth_bridge;
revoke delete on oauth2_app_states, oauth2_tokens from posthorn_auth_bridge;
revoke delete on oauth2_app_secrets, list_turns from posthorn_api_gateway;
