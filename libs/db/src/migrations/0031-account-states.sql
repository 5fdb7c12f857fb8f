-- Accounts that an operator paused: no session connects them, their state is `paused`.
alter table accounts add column paused boolean not null default false;

-- Submissions whose bounce arrived. Written by sync-worker in the transaction of `messageBounce`,
-- all other columns by sender.
alter table outbox add column bounced_at timestamptz;
create index outbox_bounced on outbox (finished_at desc, queue_id) where bounced_at is not null;
grant select (bounced_at), update (bounced_at) on outbox to posthorn_sync_worker;

-- Changes that concern no account: states of the listeners of the proxies.
alter table account_changes alter column account drop not null;

-- The proxies record the states of their own listeners, and no change of an account.
create function record_proxy_state(server text, state text, error text) returns void
language sql security definer set search_path = pg_catalog, public as $$
  insert into public.account_changes (type, key, payload)
  select server, state,
    case when error is not null then jsonb_build_object('error', jsonb_build_object('response', error)) end
  where server in ('imapProxyServerState', 'smtpServerState')
$$;
revoke execute on function record_proxy_state(text, text, text) from public;
grant execute on function record_proxy_state(text, text, text) to posthorn_imap_proxy, posthorn_smtp_proxy;
