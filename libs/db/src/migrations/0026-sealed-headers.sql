-- Values of custom webhook headers are sealed in place. auth-bridge seals stored plaintext values,
-- and replaces each value by the same one sealed with a new key. The account of the event selects
-- the seal context.
grant update (webhooks_custom_headers) on accounts to posthorn_auth_bridge;
grant select (custom_headers), update (custom_headers) on webhook_routes to posthorn_auth_bridge;
grant select (account) on events to posthorn_auth_bridge;

-- Requesters of a proxy login are authorized by a row with this URL, found by the whole value.
create index accounts_by_proxy on accounts using hash (proxy) where proxy is not null;
create index outbox_by_proxy on outbox using hash (proxy) where proxy is not null;

-- The holder of a shard gets the credentials of its accounts and is identified by its proof. No
-- worker can write another worker's proof. A shard cannot change its holder unnoticed: the epoch
-- rises, so the writes of the previous holder are rejected.
revoke update on workers from posthorn_sync_worker;
grant update (heartbeat_at, stopping) on workers to posthorn_sync_worker;
create function check_shard_epoch() returns trigger
language plpgsql set search_path = pg_catalog, public as $$
begin
  if new.epoch < old.epoch or (new.owner is not null and new.owner is distinct from old.owner and new.epoch = old.epoch) then
    raise exception 'the epoch of shard % must rise when another takes it', new.shard using errcode = 'check_violation';
  end if;
  return new;
end
$$;
revoke execute on function check_shard_epoch() from public;
create trigger shards_epoch before update on shards for each row execute function check_shard_epoch();
