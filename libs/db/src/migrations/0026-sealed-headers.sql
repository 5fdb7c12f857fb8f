-- Values of custom headers of webhooks are sealed in their place. auth-bridge puts the same values, sealed with another key, in the place of those there, and seals
-- those that were stored in the clear: for whom, the account of an event says.
grant update (webhooks_custom_headers) on accounts to posthorn_auth_bridge;
grant select (custom_headers), update (custom_headers) on webhook_routes to posthorn_auth_bridge;
grant select (account) on events to posthorn_auth_bridge;

-- The login of a proxy is opened for who reads it here: it is looked up by the whole address.
create index accounts_by_proxy on accounts using hash (proxy) where proxy is not null;
create index outbox_by_proxy on outbox using hash (proxy) where proxy is not null;

-- Who holds a shard gets the credentials of its accounts, and is known by its proof. Nobody proves to be a worker that he is not, and nobody takes a shard unseen: the
-- epoch that its holder works under is over then.
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
