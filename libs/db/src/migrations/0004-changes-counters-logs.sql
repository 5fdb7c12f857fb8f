-- State changes for `GET /v1/changes` ---------------------------------------------------------------------------------

-- State changes. Written by sync-worker in the transaction that changes the state. Kept for 24 h,
-- also those of deleted accounts.
create table account_changes (
  -- Ids are assigned before the commit, so a reader by id would miss a row that commits late.
  -- Readers order by transaction and stop below the oldest open transaction: no row ever appears
  -- behind their cursor.
  xid xid8 not null default pg_current_xact_id(),
  id bigint generated always as identity,
  account text not null,
  type text not null,
  key text not null,
  payload jsonb,
  created_at timestamptz not null default now(),
  primary key (xid, id)
);

-- Last change deleted by retention: a reader whose cursor is older has missed changes. One row,
-- written by sync-worker.
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

-- Number of events per account and name. Written by webhook-dispatcher in the fan-out transaction.
create table account_event_counts (
  account text not null references accounts on delete cascade,
  event text not null,
  count bigint not null,
  primary key (account, event)
) with (fillfactor = 80);

-- Counters per minute. Added to by webhook-dispatcher, api-gateway and sender; kept for eight days.
create table stat_counters (
  minute timestamptz not null,
  key text not null,
  -- concurrent long transactions use different slots; merged later
  slot smallint not null default 0,
  value bigint not null,
  primary key (minute, key, slot)
) with (fillfactor = 80);

grant select, insert, update on account_event_counts to posthorn_webhook_dispatcher;
grant select on account_event_counts to posthorn_api_gateway;
grant select, insert, update, delete on stat_counters to posthorn_webhook_dispatcher;
grant select, insert, update on stat_counters to posthorn_api_gateway, posthorn_sender;

-- Queue counts for the statistics.
create index deliveries_failed on deliveries (finished_at) where state = 'failed';
create index outbox_failed on outbox (finished_at) where state = 'failed';
grant select (state, claim, next_attempt_at) on deliveries to posthorn_api_gateway;

-- Protocol logs ------------------------------------------------------------------------------------------------------

-- Protocol transcripts of accounts with `logs`. Written by sync-worker; only the last lines of each
-- account are kept.
create table account_logs (
  account text not null references accounts on delete cascade,
  id bigint generated always as identity,
  line text not null,
  primary key (account, id)
);
grant select, insert, delete on account_logs to posthorn_sync_worker;
grant select on account_logs to posthorn_api_gateway;

-- Deletes the transcript of an account when its `logs` are switched off, whichever service does it.
create function delete_account_logs() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  delete from public.account_logs where account = new.account;
  return null;
end $$;
revoke execute on function delete_account_logs() from public;
create trigger accounts_logs_off after update of logs on accounts
  for each row when (old.logs and not new.logs) execute function delete_account_logs();
