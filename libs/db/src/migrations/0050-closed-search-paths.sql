-- Functions with the rights of the owner, and functions that they call, name every object with its
-- schema. Their search path ends with pg_temp: otherwise Postgres looks for tables and types among
-- the temporary objects of the caller first, whose triggers and checks would run as the owner.
-- `migrate` also revokes the right to create temporary objects.

-- A later function is executable by named roles only.
alter default privileges revoke execute on functions from public;

alter function public.punycode(text) set search_path = pg_catalog, public, pg_temp;
alter function public.check_shard_epoch() set search_path = pg_catalog, public, pg_temp;
alter function public.tokens_by_id(text[]) set search_path = pg_catalog, public, pg_temp;
alter function public.mark_token_used(text, text) set search_path = pg_catalog, public, pg_temp;
alter function public.raise_webhook_routes_stamp() set search_path = pg_catalog, public, pg_temp;
alter function public.delete_account_logs() set search_path = pg_catalog, public, pg_temp;
alter function public.record_proxy_state(text, text, text) set search_path = pg_catalog, public, pg_temp;
alter function public.ensure_event_partitions(integer) set search_path = pg_catalog, public, pg_temp;
alter function public.keep_previous_service_secret(integer) set search_path = pg_catalog, public, pg_temp;

create or replace function public.list_address_key(address text) returns text
language plpgsql immutable strict set search_path = pg_catalog, public, pg_temp as $$
declare
  domain text := substring(address from '[^@]*$');
  ascii_domain text;
begin
  if address !~ '[^\u0001-\u007f]' then
    return address;
  end if;
  select string_agg(case when label ~ '[^\u0001-\u007f]' then 'xn--' || public.punycode(label) else label end, '.' order by position)
    into ascii_domain
    from regexp_split_to_table(lower(normalize(domain, NFKC)), '\.') with ordinality as labels (label, position);
  return normalize(left(address, length(address) - length(domain)), NFC) || ascii_domain;
end $$;

-- These two run as the caller, or as the owner if a copy of a list entry fires them.
create or replace function public.count_list_blocks_added() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  -- Ordered by name, so that concurrent writers cannot deadlock.
  insert into public.lists as l select list_id, count(*) from changed group by list_id order by list_id
    on conflict (list_id) do update set blocked = l.blocked + excluded.blocked;
  return null;
end $$;
create or replace function public.count_list_blocks_removed() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  gone record;
begin
  for gone in select list_id, count(*) as count from changed group by list_id order by list_id loop
    update public.lists set blocked = blocked - gone.count where list_id = gone.list_id;
    delete from public.lists where list_id = gone.list_id and blocked <= 0;
  end loop;
  return null;
end $$;

create or replace function public.copy_list_block() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into public.account_list_blocks values (new.account, new.list_id, public.list_address_key(new.recipient),
      new.message_id, new.source, new.reason, new.remote_address, new.user_agent, new.created_at) on conflict do nothing;
  else
    delete from public.account_list_blocks where list_id = old.list_id
      and recipient = public.list_address_key(old.recipient) and account = old.account;
  end if;
  return null;
end $$;
create or replace function public.copy_account_list_block() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into public.list_blocks (list_id, recipient, account, message_id, source, reason, remote_address, user_agent, created_at)
      values (new.list_id, new.recipient, new.account, new.message_id, new.source, new.reason, new.remote_address,
        new.user_agent, new.created_at) on conflict do nothing;
  else
    delete from public.list_blocks where list_id = old.list_id and recipient = old.recipient and not exists
      (select from public.account_list_blocks b where b.list_id = old.list_id and b.recipient = old.recipient);
  end if;
  return null;
end $$;

-- Its former text named a variable that does not exist, so no partition with events was ever dropped.
create or replace function public.drop_event_partitions(keep_days integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  part record;
  part_day date;
  waiting boolean;
  dropped integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('posthorn:event-partitions'));
  for part in select c.relname from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.events'::regclass and c.relname ~ '^events_[0-9]{8}$' order by c.relname loop
    part_day := to_date(substr(part.relname, 8), 'YYYYMMDD');
    exit when part_day >= (now() at time zone 'UTC')::date - keep_days;
    execute format('select exists (select 1 from public.%I where published_at is null or fanned_out_at is null)', part.relname) into waiting;
    continue when waiting;
    continue when exists (select 1 from public.deliveries d where d.state in ('due', 'failed')
      and d.event_date >= part_day::timestamp at time zone 'UTC' and d.event_date < (part_day + 1)::timestamp at time zone 'UTC');
    execute format('drop table public.%I', part.relname);
    delete from public.event_ids e where e.day = part_day;
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
