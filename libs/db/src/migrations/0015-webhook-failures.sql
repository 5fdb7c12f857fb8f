-- Failed deliveries can be repeated: as new rows that say what they repeat.
alter table deliveries
  add column replay_of uuid, -- deliveries.id
  add column replayed_at timestamptz;
alter table deliveries drop constraint deliveries_event_id_target_key;
create unique index deliveries_by_event on deliveries (event_id, target) where replay_of is null;
create index deliveries_replays on deliveries (replay_of) where replay_of is not null;
drop index deliveries_failed;
create index deliveries_failed on deliveries (finished_at, id) where state = 'failed';
create index deliveries_to_replay on deliveries (finished_at) where state = 'failed' and replayed_at is null;

-- Wishes to repeat all failed deliveries that a filter finds. Inserted by api-gateway, from then on changed by webhook-dispatcher alone.
create table webhook_replays (
  id uuid primary key,
  filter jsonb not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'done')),
  total bigint, -- found when it began
  replayed bigint not null default 0,
  created_at timestamptz not null default now(), -- what failed later is not meant
  started_at timestamptz,
  finished_at timestamptz
);
create index webhook_replays_open on webhook_replays (created_at) where state <> 'done';
create index webhook_replays_by_date on webhook_replays (created_at, id);

-- What came of single attempts, where the settings ask for it. Written by webhook-dispatcher.
create table webhook_attempts (
  delivery uuid not null, -- deliveries.id
  attempt smallint not null,
  ended_at timestamptz not null default now(),
  duration_ms integer not null,
  outcome text not null,
  status smallint,
  error text,
  response text
);
create index webhook_attempts_by_delivery on webhook_attempts (delivery);
create index webhook_attempts_by_date on webhook_attempts (ended_at);

grant select, insert, delete on webhook_attempts to posthorn_webhook_dispatcher;
grant select on webhook_attempts, deliveries to posthorn_api_gateway;
grant select, update, delete on webhook_replays to posthorn_webhook_dispatcher;
grant select, insert on webhook_replays to posthorn_api_gateway;
