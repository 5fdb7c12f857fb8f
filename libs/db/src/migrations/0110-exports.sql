-- Exports of messages. Inserted by api-gateway, which also cancels them and gives up those that it
-- deletes; all other changes by sync-worker.
create table exports (
  export_id text primary key,
  -- Null once the export or its account was deleted. sync-worker then removes the chunks and the row.
  account text references accounts on delete set null,
  shard smallint not null,
  day date not null, -- table partition of its chunks
  status text not null default 'queued' check (status in ('queued', 'processing', 'completed', 'failed', 'cancelled')),
  phase text not null default 'pending' check (phase in ('pending', 'indexing', 'exporting', 'complete')),
  folders text[] not null,
  start_date timestamptz not null,
  end_date timestamptz not null,
  text_type text not null,
  max_bytes bigint not null, -- of each text of a message; 0: no limit
  include_attachments boolean not null,
  sealed text not null, -- key of its chunks
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  expires_at timestamptz not null, -- moves forward with each chunk
  folders_scanned integer not null default 0,
  folders_total integer not null default 0,
  messages_queued integer not null default 0,
  messages_exported integer not null default 0,
  messages_skipped integer not null default 0,
  bytes_written bigint not null default 0, -- size of the file so far
  stored_bytes bigint not null default 0, -- size of its stored chunks
  chunks integer not null default 0, -- number of the next chunk
  position jsonb, -- progress within the phase
  truncated boolean not null default false,
  error text,
  error_code text,
  estimated_end timestamptz,
  unavailable_since timestamptz -- the mail server cannot be used since then
);
create index exports_by_account on exports (account);
create index exports_by_day on exports (day);
create index exports_unfinished on exports (shard) where status in ('queued', 'processing');
create index exports_ended on exports (expires_at) where status in ('completed', 'failed', 'cancelled');
-- Rows of cancelled and failed exports stay, without chunks, until they expire.
create index exports_stored on exports (stored_bytes) where stored_bytes > 0;

-- Encrypted parts of the files of exports, in table partitions by the day of the export's creation.
-- Written by sync-worker.
create table export_chunks (
  day date not null,
  export_id text not null,
  number integer not null,
  start bigint not null, -- offset of its first byte in the file
  size integer not null, -- bytes of the file
  content bytea not null,
  primary key (day, export_id, number)
) partition by list (day);
-- Encrypted bytes cannot be compressed.
alter table export_chunks alter column content set storage external;

-- Returns the current day (UTC) and creates its table partition. Serializes the creation of exports
-- until the end of the transaction, so that their limits are never exceeded.
create function ensure_export_partition() returns date
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  today date := (now() at time zone 'UTC')::date;
  name text := 'export_chunks_' || to_char(today, 'YYYYMMDD');
begin
  perform pg_advisory_xact_lock(hashtext('posthorn:exports'));
  if to_regclass('public.' || name) is null then
    execute format('create table public.%I (like public.export_chunks including defaults including constraints including storage)', name);
    execute format('alter table public.export_chunks attach partition public.%I for values in (%L)', name, today);
  end if;
  return today;
end $$;

-- Drops the table partitions of past days that no export uses. Returns the number of dropped
-- partitions. While a partition is being read, for example by pg_dump, or an export is created, the
-- rest is left for the next call: readers would wait behind the lock of the drop.
create function drop_export_partitions() returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '200ms' as $$
declare
  part record;
  part_day date;
  dropped integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtext('posthorn:exports')) then
    return 0;
  end if;
  for part in select c.relname from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.export_chunks'::regclass order by c.relname loop
    part_day := to_date(substr(part.relname, 15), 'YYYYMMDD');
    continue when part_day >= (now() at time zone 'UTC')::date;
    continue when exists (select 1 from public.exports e where e.day = part_day);
    begin
      execute format('drop table public.%I', part.relname);
      dropped := dropped + 1;
    exception when lock_not_available then
      return dropped;
    end;
  end loop;
  return dropped;
end $$;

revoke execute on function ensure_export_partition(), drop_export_partitions() from public;
grant execute on function ensure_export_partition() to posthorn_api_gateway;
grant execute on function drop_export_partitions() to posthorn_sync_worker;

grant insert (export_id, account, shard, day, folders, start_date, end_date, text_type, max_bytes, include_attachments,
    sealed, expires_at),
  update (account, status, finished_at),
  select (export_id, account, shard, day, status, phase, folders, start_date, end_date, created_at, started_at, finished_at,
    expires_at, folders_scanned, folders_total, messages_queued, messages_exported, messages_skipped, bytes_written,
    stored_bytes, chunks, truncated, error, error_code, estimated_end, unavailable_since)
  on exports to posthorn_api_gateway;
grant select on export_chunks to posthorn_api_gateway;
grant delete,
  update (status, phase, started_at, finished_at, expires_at, folders_scanned, folders_total, messages_queued,
    messages_exported, messages_skipped, bytes_written, stored_bytes, chunks, position, truncated, error, error_code,
    estimated_end, unavailable_since),
  select (export_id, account, shard, day, status, phase, folders, start_date, end_date, text_type, max_bytes,
    include_attachments, created_at, started_at, finished_at, expires_at, folders_scanned, folders_total, messages_queued,
    messages_exported, messages_skipped, bytes_written, stored_bytes, chunks, position, truncated, error, error_code,
    estimated_end, unavailable_since)
  on exports to posthorn_sync_worker;
grant select, insert, delete on export_chunks to posthorn_sync_worker;
grant select (export_id, account, status, sealed), update (sealed) on exports to posthorn_auth_bridge;
