-- Rotation of the sealing key: auth-bridge replaces each value by the same value sealed with the
-- new key. It can write no other column of these rows.
grant update (sealed) on credentials, gateway_credentials, oauth2_app_secrets, sealed_settings to posthorn_auth_bridge;

-- The proxies look up a token by its hash and cannot list tokens: only a holder of the token knows
-- the hash.
create function tokens_by_id(ids text[])
  returns table (id text, account text, scopes text[], restrictions jsonb, permissions jsonb, expires_at timestamptz)
language sql stable security definer set search_path = pg_catalog, public as $$
  select t.id, t.account, t.scopes, t.restrictions, t.permissions, t.expires_at from public.tokens t where t.id = any(ids)
$$;
-- Writes at most once per minute.
create function mark_token_used(token text, address text) returns void
language sql security definer set search_path = pg_catalog, public as $$
  update public.tokens set last_used_at = now(), last_used_ip = address
    where id = token and (last_used_at is null or last_used_at < now() - interval '1 minute')
$$;
revoke execute on function tokens_by_id(text[]), mark_token_used(text, text) from public;
grant execute on function tokens_by_id(text[]), mark_token_used(text, text) to posthorn_api_gateway, posthorn_imap_proxy, posthorn_smtp_proxy;
grant execute on function tokens_by_id(text[]) to posthorn_auth_bridge;
revoke select, update (last_used_at, last_used_ip) on tokens from posthorn_imap_proxy, posthorn_smtp_proxy;

-- Least grants on these tables. The sender may change the progress of a submission (`envelope` has
-- the remaining recipients), but not its owner and network path.
revoke select on outbox from posthorn_smtp_proxy;
grant select (queue_id) on outbox to posthorn_smtp_proxy;
revoke select on accounts from posthorn_webhook_dispatcher;
grant select (account, webhooks, webhooks_custom_headers) on accounts to posthorn_webhook_dispatcher;
revoke update on outbox from posthorn_sender;
grant update (state, envelope, message_id, original_message_id, mime, send_at, next_attempt_at, attempts, worker, lease_until, attempt_started_at, data_sent_at, first_error,
  last_error, response, finished_at, network_routing, filing, filing_next_at, filing_attempts, filing_error) on outbox to posthorn_sender;
revoke execute on function raise_webhook_routes_stamp() from public;

-- Proof of the right to a credential: auth-bridge checks that the requester holds the account's
-- shard, or is the sender that has leased a submission of it.
alter table workers add column proof text; -- SHA-256 of a secret of this worker
grant select on shards, workers to posthorn_auth_bridge;
grant select (queue_id, account, gateway, state, worker, lease_until) on outbox to posthorn_auth_bridge;
