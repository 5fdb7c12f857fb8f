-- Roles: one per service with the least grants. The migrate command sets their passwords.
do $$
declare name text;
begin
  foreach name in array array['api_gateway', 'sync_worker', 'sender', 'webhook_dispatcher', 'imap_proxy', 'smtp_proxy', 'auth_bridge'] loop
    begin
      execute format('create role %I login', 'posthorn_' || name);
    exception when duplicate_object or unique_violation then
      null; -- roles belong to the server: another database may have created this one
    end;
  end loop;
end $$;

-- Accounts -----------------------------------------------------------------------------------------------------------

-- Registered accounts. Written by api-gateway.
create table accounts (
  account text primary key,
  shard smallint not null check (shard between 0 and 255),
  name text not null,
  email text,
  expected_email text,
  imap jsonb, -- without the password
  smtp jsonb,
  path jsonb,
  subconnections jsonb,
  webhooks text,
  webhooks_custom_headers jsonb,
  copy boolean,
  logs boolean not null default false,
  notify_from timestamptz not null default now(),
  proxy text,
  smtp_ehlo_name text,
  imap_indexer text,
  locale text,
  tz text,
  -- incremented by every change; a session compares it to detect that it is outdated
  version bigint not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index accounts_by_shard on accounts (shard);

-- Sealed passwords and grants. Written by api-gateway, which cannot unseal them; unsealed by
-- auth-bridge.
create table credentials (
  account text not null references accounts on delete cascade,
  kind text not null check (kind in ('imap', 'smtp')),
  sealed text not null,
  updated_at timestamptz not null default now(),
  primary key (account, kind)
);

-- Current status of each account. Written by the sync-worker that holds its shard. No row means
-- `new`.
create table account_states (
  account text primary key references accounts on delete cascade,
  state text not null,
  state_epoch bigint not null default 1, -- incremented by every change of state; part of event ids
  last_error jsonb,
  error_count integer not null default 0, -- consecutive equal failures
  auth_failing_since timestamptz,
  auth_failure_disabled_at timestamptz,
  -- version of the registration that this state belongs to
  account_version bigint not null default 0,
  initialized_at timestamptz, -- end of the first initial sync of all mailboxes
  delimiter text,
  next_mailbox_number integer not null default 1,
  sync_time timestamptz,
  updated_at timestamptz not null default now()
);

-- Shards -------------------------------------------------------------------------------------------------------------

-- Running sync-worker processes. Written by sync-worker.
create table workers (
  id uuid primary key,
  heartbeat_at timestamptz not null default now(),
  stopping boolean not null default false
);

-- Holder of each shard. `epoch` is a fencing token: it rises with every new holder, and writes with
-- an older epoch are rejected.
create table shards (
  shard smallint primary key check (shard between 0 and 255),
  owner uuid references workers on delete set null,
  epoch bigint not null default 0
);
insert into shards (shard) select generate_series(0, 255);

-- The mailbox index --------------------------------------------------------------------------------------------------

-- Mailboxes of each account in the last listing. Written by sync-worker.
create table mailboxes (
  id bigint generated always as identity primary key,
  account text not null references accounts on delete cascade,
  path text not null,
  -- Part of every message id: assigned once per (path, uidvalidity), never reused within an
  -- account.
  number integer not null,
  name text not null,
  delimiter text,
  parent_path text,
  special_use text,
  special_use_source text,
  attributes jsonb not null default '[]',
  subscribed boolean not null default false,
  listed boolean not null default true,
  uid_validity bigint, -- null until the first SELECT
  uid_next bigint,
  highest_modseq bigint,
  messages integer,
  flags_complete boolean not null default false, -- flag bitmaps are filled
  synced_at timestamptz,
  created_at timestamptz not null default now(),
  unique (account, path),
  unique (account, number)
);

-- UIDs and flags of a mailbox as bitmaps: one row per 8,192 UIDs, one bit per UID and flag. Written
-- by sync-worker.
create table mailbox_chunks (
  mailbox bigint not null references mailboxes on delete cascade,
  chunk integer not null,
  epoch bigint not null, -- epoch of the shard at the time of the write
  uids bytea not null,
  flags text[] not null default '{}',
  flag_bits bytea[] not null default '{}', -- one bitmap per element of `flags`, in the same order
  primary key (mailbox, chunk)
);

-- Message-IDs that were announced, per account: tells new messages from moved ones. Written by
-- sync-worker, kept for 90 days.
create table announced_messages (
  account text not null references accounts on delete cascade,
  hash bigint not null, -- first 8 bytes of the SHA-256 of the Message-ID
  announced_at timestamptz not null default now(),
  primary key (account, hash)
);
create index announced_messages_by_age on announced_messages (announced_at);

-- Events -------------------------------------------------------------------------------------------------------------

-- Stored event ids: make inserts idempotent. A separate table, because the partitioned table
-- `events` cannot have a unique index on the id alone.
create table event_ids (
  event_id uuid primary key,
  day date not null
);
create index event_ids_by_day on event_ids (day);

-- Events. Inserted in the transaction that changes the state they report. Immutable except for
-- `published_at` and `fanned_out_at`.
create table events (
  id bigint generated always as identity,
  event_id uuid not null,
  event text not null,
  account text not null,
  shard smallint not null,
  date timestamptz not null,
  path text,
  special_use text,
  body text not null, -- exact bytes of the webhook body
  -- only accountDeleted: webhook target of the account, which is already deleted at delivery
  account_target jsonb,
  published_at timestamptz, -- time of the publish to the exchange
  fanned_out_at timestamptz, -- time when its deliveries were inserted
  primary key (id, date)
) partition by range (date);
create index events_unpublished on events (date) where published_at is null;
create index events_to_fan_out on events ((shard % 16), id) where fanned_out_at is null;
create index events_by_event_id on events (event_id);
create table events_default partition of events default;

-- Creates the table partitions of today and the next days. Idempotent and safe under concurrency.
create function ensure_event_partitions(days integer default 7) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  day date;
  name text;
begin
  perform pg_advisory_xact_lock(hashtext('posthorn:event-partitions'));
  for day in select generate_series((now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + days, interval '1 day')::date loop
    name := 'events_' || to_char(day, 'YYYYMMDD');
    continue when to_regclass('public.' || name) is not null;
    execute format('create table public.%I (like public.events including defaults including constraints)', name);
    -- Rows in the default partition would make the attach below fail, so they move first.
    execute format('with moved as (delete from public.events_default where date >= %L and date < %L returning *) insert into public.%I overriding system value select * from moved',
      day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC', name);
    execute format('alter table public.events attach partition public.%I for values from (%L) to (%L)',
      name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  end loop;
end $$;
select ensure_event_partitions();

-- Webhook deliveries -------------------------------------------------------------------------------------------------

-- Deliveries: one event on its way to one target. Written by webhook-dispatcher.
create table deliveries (
  id uuid primary key,
  event_id uuid not null,
  event_row bigint not null, -- events.id
  event_date timestamptz not null, -- events.date: selects the table partition
  event text not null,
  account text not null,
  target text not null, -- 'default', 'account' or a route id
  -- target URL without credentials; deliveries of one lane share a concurrency limit
  lane text not null,
  state text not null default 'due' check (state in ('due', 'delivered', 'failed', 'dropped')),
  attempts smallint not null default 0, -- incremented before each attempt
  queued_at timestamptz not null default now(),
  next_attempt_at timestamptz not null default now(),
  claim uuid, -- claim of the process that makes the attempt
  last_outcome text,
  last_status smallint,
  last_error text,
  last_response text,
  finished_at timestamptz,
  unique (event_id, target)
);
create index deliveries_due on deliveries (lane, next_attempt_at) where state = 'due';
create index deliveries_next on deliveries (next_attempt_at) where state = 'due';
create index deliveries_finished on deliveries (finished_at) where state <> 'due';
create index deliveries_by_account on deliveries (account);

-- Drops table partitions of past days without pending deliveries. Returns the number of dropped
-- partitions.
create function drop_event_partitions(keep_days integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  part record;
  day date;
  waiting boolean;
  dropped integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('posthorn:event-partitions'));
  for part in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.events'::regclass and c.relname ~ '^events_[0-9]{8}$' order by c.relname loop
    day := to_date(substr(part.relname, 8), 'YYYYMMDD');
    exit when day >= (now() at time zone 'UTC')::date - keep_days;
    execute format('select exists (select 1 from public.%I where published_at is null or fanned_out_at is null)', part.relname) into waiting;
    continue when waiting;
    continue when exists (select 1 from public.deliveries d where d.state in ('due', 'failed')
      and d.event_date >= day::timestamp at time zone 'UTC' and d.event_date < (day + 1)::timestamp at time zone 'UTC');
    execute format('drop table public.%I', part.relname);
    delete from public.event_ids e where e.day = drop_event_partitions.day;
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

-- Submissions --------------------------------------------------------------------------------------------------------

-- Submissions. Inserted by api-gateway and smtp-proxy, then changed only by sender.
create table outbox (
  queue_id text primary key,
  account text not null references accounts on delete cascade,
  shard smallint not null,
  source text not null check (source in ('api', 'smtp')),
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed')),
  message_id text not null,
  envelope jsonb not null, -- {from, to[]}
  subject text,
  mime bytea, -- without Bcc; null when no longer needed
  created_at timestamptz not null default now(),
  send_at timestamptz not null default now(),
  next_attempt_at timestamptz not null default now(),
  attempts integer not null default 0, -- incremented before each connection
  max_attempts integer not null default 10,
  -- The lease is committed before the connection. A row with `data_sent_at` may have been accepted.
  worker uuid,
  lease_until timestamptz,
  attempt_started_at timestamptz,
  data_sent_at timestamptz,
  first_error text,
  last_error jsonb,
  response text,
  finished_at timestamptz
);
create index outbox_due on outbox (next_attempt_at) where state = 'queued';
create index outbox_by_account on outbox (account);
create index outbox_finished on outbox (finished_at) where state <> 'queued';
-- mail is mostly base64: compression costs more than it saves
alter table outbox alter column mime set storage external;

-- Access and settings ------------------------------------------------------------------------------------------------

-- Access tokens by the SHA-256 of their value. Written by api-gateway; last_used_* by every service
-- that checks tokens.
create table tokens (
  id text primary key,
  account text references accounts on delete cascade,
  scopes text[] not null,
  description text,
  metadata text,
  restrictions jsonb,
  permissions jsonb,
  ip text,
  remote_address text,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  last_used_ip text
);
create index tokens_by_account on tokens (account);

-- Requests per token and window, counted across replicas. Written by api-gateway.
create table token_windows (
  token text not null references tokens on delete cascade,
  window_start timestamptz not null,
  requests integer not null,
  primary key (token, window_start)
);

-- Settings without secrets. Written by api-gateway.
create table settings (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);

-- Secret settings, sealed. Written by api-gateway, which cannot unseal them; unsealed by
-- auth-bridge.
create table sealed_settings (
  key text primary key,
  sealed text not null,
  updated_at timestamptz not null default now()
);

-- Grants -------------------------------------------------------------------------------------------------------------

revoke all on all tables in schema public from public;
revoke create on schema public from public;
revoke execute on function ensure_event_partitions(integer), drop_event_partitions(integer) from public;

grant select on accounts to posthorn_sync_worker, posthorn_sender, posthorn_webhook_dispatcher, posthorn_imap_proxy, posthorn_smtp_proxy, posthorn_auth_bridge;
grant select, insert, update, delete on accounts to posthorn_api_gateway;
grant select (account, kind, updated_at), insert, update, delete on credentials to posthorn_api_gateway;
grant select on credentials to posthorn_auth_bridge;
grant select, insert, update on account_states to posthorn_sync_worker;
grant select on account_states to posthorn_api_gateway, posthorn_sender, posthorn_smtp_proxy, posthorn_imap_proxy, posthorn_auth_bridge;
grant select, insert, update, delete on workers to posthorn_sync_worker;
grant select, update on shards to posthorn_sync_worker;
grant select on shards, workers to posthorn_api_gateway;
grant select, insert, update, delete on mailboxes, mailbox_chunks, announced_messages to posthorn_sync_worker;
grant select on mailboxes to posthorn_api_gateway;
grant select, insert on event_ids to posthorn_api_gateway, posthorn_sync_worker, posthorn_sender;
grant select, insert, update (published_at) on events to posthorn_api_gateway, posthorn_sync_worker, posthorn_sender;
grant select, update (published_at, fanned_out_at) on events to posthorn_webhook_dispatcher;
grant execute on function ensure_event_partitions(integer), drop_event_partitions(integer) to posthorn_webhook_dispatcher;
grant select, insert, update, delete on deliveries to posthorn_webhook_dispatcher;
grant select, insert on outbox to posthorn_api_gateway, posthorn_smtp_proxy;
grant select, update, delete on outbox to posthorn_sender;
grant select, insert, update, delete on tokens to posthorn_api_gateway;
grant select, update (last_used_at, last_used_ip) on tokens to posthorn_imap_proxy, posthorn_smtp_proxy;
grant select, insert, update, delete on token_windows to posthorn_api_gateway;
grant select, insert, update, delete on settings to posthorn_api_gateway;
grant select on settings to posthorn_sync_worker, posthorn_sender, posthorn_webhook_dispatcher, posthorn_imap_proxy, posthorn_smtp_proxy, posthorn_auth_bridge;
grant select (key, updated_at), insert, update, delete on sealed_settings to posthorn_api_gateway;
grant select on sealed_settings to posthorn_auth_bridge;
