-- Largest id of the events that were dropped with their table partition: a reader of the event
-- stream whose position is smaller has missed events. One row, written by drop_event_partitions.
create table events_horizon (
  one boolean primary key default true check (one),
  id bigint not null default 0
);
insert into events_horizon default values;

grant select on events_horizon to posthorn_api_gateway;
-- Readers of the event stream compare their position with the largest id.
grant select on sequence events_id_seq to posthorn_api_gateway;

-- Additionally records the largest id of each dropped partition.
create or replace function public.drop_event_partitions(keep_days integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  part record;
  part_day date;
  part_end bigint;
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
    execute format('select max(id) from public.%I', part.relname) into part_end;
    update public.events_horizon set id = greatest(id, coalesce(part_end, 0));
    execute format('drop table public.%I', part.relname);
    delete from public.event_ids e where e.day = part_day;
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
