-- Number of addresses per list, updated with `list_blocks`: counting the rows of a large list would
-- take seconds. A list without addresses does not exist. Written by the triggers below.
create table lists (
  list_id text primary key,
  blocked bigint not null
);
insert into lists select list_id, count(*) from list_blocks group by list_id;

create function count_list_blocks_added() returns trigger
  language plpgsql as $$
begin
  -- Ordered by name, so that concurrent writers cannot deadlock.
  insert into lists select list_id, count(*) from changed group by list_id order by list_id
    on conflict (list_id) do update set blocked = lists.blocked + excluded.blocked;
  return null;
end $$;

create function count_list_blocks_removed() returns trigger
  language plpgsql as $$
declare
  gone record;
begin
  for gone in select list_id, count(*) as count from changed group by list_id order by list_id loop
    update lists set blocked = blocked - gone.count where list_id = gone.list_id;
    delete from lists where list_id = gone.list_id and blocked <= 0;
  end loop;
  return null;
end $$;

revoke execute on function count_list_blocks_added(), count_list_blocks_removed() from public;
create trigger list_blocks_added after insert on list_blocks
  referencing new table as changed for each statement execute function count_list_blocks_added();
create trigger list_blocks_removed after delete on list_blocks
  referencing old table as changed for each statement execute function count_list_blocks_removed();

grant select, insert, update, delete on lists to posthorn_api_gateway;
