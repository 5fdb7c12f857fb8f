-- Roles: one a service, with the grants it needs and no more. Passwords are set by the migrate command.
do $$
declare name text;
begin
  foreach name in array array['api_gateway', 'sync_worker', 'sender', 'webhook_dispatcher', 'imap_proxy', 'smtp_proxy', 'auth_bridge'] loop
    begin
      execute format('create role %I login', 'posthorn_' || name);
    exception when duplicate_object or unique_violation then
      null; -- roles belong to the server, not to the database: another database may have made it
    end;
  end loop;
end $$;

-- Accounts -----------------------------------------------------------------------------------------------------------

-- What was registered. Written by api-gateway.
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
  version bigint not null default 1, -- raised by every change: a session knows by it that it is out of date
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index accounts_by_shard on accounts (shard);

-- Passwords and grants, sealed. Written by api-gateway, which cannot read them; opened by auth-bridge.
create table credentials (
  account text not null references accounts on delete cascade,
  kind text not null check (kind in ('imap', 'smtp')),
  sealed text not null,
  updated_at timestamptz not null default now(),
  primary key (account, kind)
);

-- How an account is doing. Written by sync-worker, the holder of its shard; no row yet means `new`.
create table account_states (
  account text primary key references accounts on delete cascade,
  state text not null,
  state_epoch bigint not null default 1, -- raised by every change of state: event ids are made of it
  last_error jsonb,
  error_count integer not null default 0, -- equal failures in a row
  auth_failing_since timestamptz,
  auth_failure_disabled_at timestamptz,
  account_version bigint not null default 0, -- the registration this state belongs to
  initialized_at timestamptz, -- the first sync of all folders was finished
  delimiter text,
  next_mailbox_number integer not null default 1,
  sync_time timestamptz,
  updated_at timestamptz not null default now()
);

-- Shards -------------------------------------------------------------------------------------------------------------

-- The sync-workers alive. Written by sync-worker.
create table workers (
  id uuid primary key,
  heartbeat_at timestamptz not null default now(),
  stopping boolean not null default false
);

-- Who holds which shard. `epoch` rises with every change of hands; writes that carry an older one are refused.
create table shards (
  shard smallint primary key check (shard between 0 and 255),
  owner uuid references workers on delete set null,
  epoch bigint not null default 0
);
insert into shards (shard) select generate_series(0, 255);

-- The mailbox index --------------------------------------------------------------------------------------------------

-- The folders of an account as last listed. Written by sync-worker.
create table mailboxes (
  id bigint generated always as identity primary key,
  account text not null references accounts on delete cascade,
  path text not null,
  -- Part of every message id: handed out anew for each (path, uidvalidity), never reused within an account.
  number integer not null,
  name text not null,
  delimiter text,
  parent_path text,
  special_use text,
  special_use_source text,
  attributes jsonb not null default '[]',
  subscribed boolean not null default false,
  listed boolean not null default true,
  uid_validity bigint, -- null until selected
  uid_next bigint,
  highest_modseq bigint,
  messages integer,
  flags_complete boolean not null default false, -- the bitmaps were filled
  synced_at timestamptz,
  created_at timestamptz not null default now(),
  unique (account, path),
  unique (account, number)
);

-- Which UIDs of a mailbox exist and which flags they have: one row for 8,192 UIDs, one bit a UID and a flag. Written by sync-worker.
create table mailbox_chunks (
  mailbox bigint not null references mailboxes on delete cascade,
  chunk integer not null,
  epoch bigint not null, -- of the shard, when written
  uids bytea not null,
  flags text[] not null default '{}',
  flag_bits bytea[] not null default '{}', -- one for each of `flags`, in their order
  primary key (mailbox, chunk)
);

-- Message-IDs an account has had announced: tells a new message from one that was moved. Written by sync-worker, kept for 90 days.
create table announced_messages (
  account text not null references accounts on delete cascade,
  hash bigint not null, -- first 8 bytes of the SHA-256 of the Message-ID
  announced_at timestamptz not null default now(),
  primary key (account, hash)
);
create index announced_messages_by_age on announced_messages (announced_at);

-- Events -------------------------------------------------------------------------------------------------------------

-- Event ids known, so that a repeat adds nothing. Apart from `events`, whose partitions cannot hold a unique id of their own.
create table event_ids (
  event_id uuid primary key,
  day date not null
);
create index event_ids_by_day on event_ids (day);

-- What happened. Inserted by whoever changes the state it tells of, in the same transaction; never changed but for its two marks.
create table events (
  id bigint generated always as identity,
  event_id uuid not null,
  event text not null,
  account text not null,
  shard smallint not null,
  date timestamptz not null,
  path text,
  special_use text,
  body text not null, -- the webhook body, to the byte
  account_target jsonb, -- for accountDeleted: the account's own webhook target, which is gone when it is delivered
  published_at timestamptz, -- on the exchange
  fanned_out_at timestamptz, -- its deliveries are rows
  primary key (id, date)
) partition by range (date);
create index events_unpublished on events (date) where published_at is null;
create index events_to_fan_out on events ((shard % 16), id) where fanned_out_at is null;
create index events_by_event_id on events (event_id);
create table events_default partition of events default;

-- Makes the partitions of today and the days to come. Safe to run from anywhere, any time.
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
    -- Rows that found no partition in time go where they belong, or the attach below would be refused.
    execute format('with moved as (delete from public.events_default where date >= %L and date < %L returning *) insert into public.%I overriding system value select * from moved',
      day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC', name);
    execute format('alter table public.events attach partition public.%I for values from (%L) to (%L)',
      name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  end loop;
end $$;
select ensure_event_partitions();

-- Webhook deliveries -------------------------------------------------------------------------------------------------

-- One event on its way to one target. Written by webhook-dispatcher.
create table deliveries (
  id uuid primary key,
  event_id uuid not null,
  event_row bigint not null, -- events.id
  event_date timestamptz not null, -- events.date: finds the partition
  event text not null,
  account text not null,
  target text not null, -- 'default', 'account', or a route's id
  lane text not null, -- the address called, without credentials: what calls share a cap
  state text not null default 'due' check (state in ('due', 'delivered', 'failed', 'dropped')),
  attempts smallint not null default 0, -- counted before the call
  queued_at timestamptz not null default now(),
  next_attempt_at timestamptz not null default now(),
  claim uuid, -- of the process that is calling
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

-- Drops the events of days past, where nothing waits on them any more. Returns how many partitions went.
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

-- Messages to send. Inserted by api-gateway and smtp-proxy, from then on changed by sender alone.
create table outbox (
  queue_id text primary key,
  account text not null references accounts on delete cascade,
  shard smallint not null,
  source text not null check (source in ('api', 'smtp')),
  state text not null default 'queued' check (state in ('queued', 'sent', 'failed')),
  message_id text not null,
  envelope jsonb not null, -- {from, to[]}
  subject text,
  mime bytea, -- without Bcc; null once nothing needs it
  created_at timestamptz not null default now(),
  send_at timestamptz not null default now(),
  next_attempt_at timestamptz not null default now(),
  attempts integer not null default 0, -- counted before connecting
  max_attempts integer not null default 10,
  -- The lease: set and committed before connecting. A row with `data_sent_at` may have been accepted.
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
alter table outbox alter column mime set storage external; -- mail is mostly base64: compressing it costs more than it saves

-- Access and settings ------------------------------------------------------------------------------------------------

-- Access tokens by the SHA-256 of their value. Written by api-gateway; last_used_* by whoever checks.
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

-- Requests of a token within a window, counted across replicas. Written by api-gateway.
create table token_windows (
  token text not null references tokens on delete cascade,
  window_start timestamptz not null,
  requests integer not null,
  primary key (token, window_start)
);

-- Settings that are no secrets. Written by api-gateway.
create table settings (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);

-- Settings that are. Written by api-gateway, which cannot read them; opened by auth-bridge.
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
