-- Changes of state, as `GET /v1/changes` tells them -------------------------------------------------------------------

-- Written by sync-worker in the transaction that changes the state; kept for a day, also those of accounts deleted since.
create table account_changes (
  -- Ids are handed out before the commit: who reads by them alone passes over a row that commits late. Ordered by transaction, and read
  -- only below the oldest one still open, nothing ever appears behind a reader.
  xid xid8 not null default pg_current_xact_id(),
  id bigint generated always as identity,
  account text not null,
  type text not null,
  key text not null,
  payload jsonb,
  created_at timestamptz not null default now(),
  primary key (xid, id)
);

-- The last change that retention took: who was not further than that has missed something. One row, written by sync-worker.
create table account_changes_horizon (
  one boolean primary key default true check (one),
  xid xid8 not null default '0',
  id bigint not null default 0
);
insert into account_changes_horizon default values;

grant select, insert, delete on account_changes to posthorn_sync_worker;
grant select, update on account_changes_horizon to posthorn_sync_worker;
grant select on account_changes, account_changes_horizon to posthorn_api_gateway;

-- Counters -----------------------------------------------------------------------------------------------------------

-- How often each event happened to an account. Written by webhook-dispatcher in the transaction that fans the events out.
create table account_event_counts (
  account text not null references accounts on delete cascade,
  event text not null,
  count bigint not null,
  primary key (account, event)
) with (fillfactor = 80);

-- What happened in a minute. Added to by webhook-dispatcher, api-gateway and sender; kept for eight days.
create table stat_counters (
  minute timestamptz not null,
  key text not null,
  slot smallint not null default 0, -- those who add at the same time in long transactions take one each; merged later
  value bigint not null,
  primary key (minute, key, slot)
) with (fillfactor = 80);

grant select, insert, update on account_event_counts to posthorn_webhook_dispatcher;
grant select on account_event_counts to posthorn_api_gateway;
grant select, insert, update, delete on stat_counters to posthorn_webhook_dispatcher;
grant select, insert, update on stat_counters to posthorn_api_gateway, posthorn_sender;

-- What the statistics count of queues.
create index deliveries_failed on deliveries (finished_at) where state = 'failed';
create index outbox_failed on outbox (finished_at) where state = 'failed';
grant select (state, claim, next_attempt_at) on deliveries to posthorn_api_gateway;

-- Protocol logs ------------------------------------------------------------------------------------------------------

-- What accounts with `logs` said to their servers and were told. Written by sync-worker, the last lines of each account.
create table account_logs (
  account text not null references accounts on delete cascade,
  id bigint generated always as identity,
  line text not null,
  primary key (account, id)
);
grant select, insert, delete on account_logs to posthorn_sync_worker;
grant select on account_logs to posthorn_api_gateway;

-- Whoever switches an account's logs off, and however: they go with it.
create function delete_account_logs() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  delete from public.account_logs where account = new.account;
  return null;
end $$;
revoke execute on function delete_account_logs() from public;
create trigger accounts_logs_off after update of logs on accounts
  for each row when (old.logs and not new.logs) execute function delete_account_logs();
