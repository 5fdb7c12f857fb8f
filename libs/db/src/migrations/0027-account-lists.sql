-- Lists belong to an account. The previous release runs on this schema: it keeps using
-- `list_blocks`, and triggers copy the changes of each table to the other. A later migration drops
-- `list_blocks`, the triggers and the functions of keys.

-- Keys of addresses -----------------------------------------------------------------------------------------------

-- Punycode of one label (RFC 3492 §6.3).
create function punycode(label text) returns text
language plpgsql immutable strict set search_path = pg_catalog as $$
declare
  digits constant text := 'abcdefghijklmnopqrstuvwxyz0123456789';
  result text := regexp_replace(label, '[^\u0001-\u007f]', '', 'g');
  points integer[];
  basic integer := length(result);
  handled integer := basic;
  n integer := 128;
  bias integer := 72;
  delta bigint := 0;
  point integer;
  q bigint;
  k integer;
  t integer;
begin
  for i in 1..length(label) loop
    points := points || ascii(substr(label, i, 1));
  end loop;
  if basic > 0 then
    result := result || '-';
  end if;
  while handled < length(label) loop
    select min(p) into point from unnest(points) as p where p >= n;
    delta := delta + (point - n)::bigint * (handled + 1);
    n := point;
    foreach point in array points loop
      if point < n then
        delta := delta + 1;
      elsif point = n then
        q := delta;
        k := 36;
        loop
          t := least(greatest(k - bias, 1), 26);
          exit when q < t;
          result := result || substr(digits, (t + (q - t) % (36 - t))::integer + 1, 1);
          q := (q - t) / (36 - t);
          k := k + 36;
        end loop;
        result := result || substr(digits, q::integer + 1, 1);
        delta := delta / case when handled = basic then 700 else 2 end;
        delta := delta + delta / (handled + 1);
        k := 0;
        while delta > 455 loop
          delta := delta / 35;
          k := k + 36;
        end loop;
        bias := (k + 36 * delta / (delta + 38))::integer;
        delta := 0;
        handled := handled + 1;
      end if;
    end loop;
    delta := delta + 1;
    n := n + 1;
  end loop;
  return result;
end $$;

-- Key of an address in lower case, as `addressKey` of libs/contracts computes it: local part in NFC,
-- domain as A-labels.
create function list_address_key(address text) returns text
language plpgsql immutable strict set search_path = pg_catalog, public as $$
declare
  domain text := substring(address from '[^@]*$');
  ascii_domain text;
begin
  if address !~ '[^\u0001-\u007f]' then
    return address;
  end if;
  select string_agg(case when label ~ '[^\u0001-\u007f]' then 'xn--' || punycode(label) else label end, '.' order by position)
    into ascii_domain
    from regexp_split_to_table(lower(normalize(domain, NFKC)), '\.') with ordinality as labels (label, position);
  return normalize(left(address, length(address) - length(domain)), NFC) || ascii_domain;
end $$;
revoke execute on function punycode(text), list_address_key(text) from public;

-- Links of earlier releases stored the address as it was, in lower case.
lock table list_blocks in share row exclusive mode;
insert into list_blocks (list_id, recipient, account, message_id, source, reason, remote_address, user_agent, created_at)
  select list_id, list_address_key(recipient), account, message_id, source, reason, remote_address, user_agent, created_at
  from list_blocks where recipient <> list_address_key(recipient)
  order by created_at
  on conflict do nothing;
delete from list_blocks where recipient <> list_address_key(recipient);
update outbox set list_recipient = list_address_key(list_recipient)
  where list_recipient <> list_address_key(list_recipient);

-- Blocked recipients ----------------------------------------------------------------------------------------------

-- Recipients that get no messages of a list of an account. Written by api-gateway. Entries outlive
-- the account, so an unsubscribe stays valid.
create table account_list_blocks (
  account text not null,
  list_id text not null, -- lower case
  recipient text not null, -- key of the address
  message_id text,
  source text not null check (source in ('api', 'admin', 'form', 'one-click')),
  reason text not null default 'block',
  remote_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  -- In this order it also finds the entries of all accounts.
  primary key (list_id, recipient, account)
);
create index account_list_blocks_by_age on account_list_blocks (list_id, created_at);
insert into account_list_blocks
  select account, list_id, recipient, message_id, source, reason, remote_address, user_agent, created_at from list_blocks;

-- `lists` counts the entries of all accounts.
drop trigger list_blocks_added on list_blocks;
drop trigger list_blocks_removed on list_blocks;
create trigger account_list_blocks_added after insert on account_list_blocks
  referencing new table as changed for each statement execute function count_list_blocks_added();
create trigger account_list_blocks_removed after delete on account_list_blocks
  referencing old table as changed for each statement execute function count_list_blocks_removed();

-- Changes by the previous release. It blocks and unblocks the account that the row names.
create function copy_list_block() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if tg_op = 'INSERT' then
    insert into account_list_blocks values (new.account, new.list_id, list_address_key(new.recipient), new.message_id,
      new.source, new.reason, new.remote_address, new.user_agent, new.created_at) on conflict do nothing;
  else
    delete from account_list_blocks where list_id = old.list_id and recipient = list_address_key(old.recipient)
      and account = old.account;
  end if;
  return null;
end $$;
-- Changes by this release. The previous release sends nothing to a recipient that any account has blocked.
create function copy_account_list_block() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if tg_op = 'INSERT' then
    insert into list_blocks (list_id, recipient, account, message_id, source, reason, remote_address, user_agent, created_at)
      values (new.list_id, new.recipient, new.account, new.message_id, new.source, new.reason, new.remote_address,
        new.user_agent, new.created_at) on conflict do nothing;
  else
    delete from list_blocks where list_id = old.list_id and recipient = old.recipient and not exists
      (select from account_list_blocks b where b.list_id = old.list_id and b.recipient = old.recipient);
  end if;
  return null;
end $$;
revoke execute on function copy_list_block(), copy_account_list_block() from public;
-- A copy is not copied back.
create trigger list_blocks_copied after insert or delete on list_blocks
  for each row when (pg_trigger_depth() = 0) execute function copy_list_block();
create trigger account_list_blocks_copied after insert or delete on account_list_blocks
  for each row when (pg_trigger_depth() = 0) execute function copy_account_list_block();

grant select, insert, delete on account_list_blocks to posthorn_api_gateway;
grant select on account_list_blocks to posthorn_sender;
