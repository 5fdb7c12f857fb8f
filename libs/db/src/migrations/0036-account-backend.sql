-- Mail system of an account. Written by api-gateway at registration, read by all services that read
-- accounts. The previous release registers accounts at mail servers only: the default.
alter table accounts
  add column backend text not null default 'imap',
  add constraint accounts_backend_check check (backend in ('imap', 'gmail', 'graph')) not valid;

-- Id, shard, mail system and time of registration of an account cannot be changed. A later migration
-- that adds a column grants its update.
revoke update on accounts from posthorn_api_gateway;
grant update (
  name, email, expected_email, imap, smtp, oauth2, path, subconnections, webhooks,
  webhooks_custom_headers, copy, logs, paused, notify_from, proxy, smtp_ehlo_name, imap_indexer,
  locale, tz, version, flush_epoch, updated_at
) on accounts to posthorn_api_gateway;
