-- Replays of failed deliveries are new rows that reference the original.
alter table deliveries
  add column replay_of uuid, -- deliveries.id
  add column replayed_at timestamptz;
alter table deliveries drop constraint deliveries_event_id_target_key;
create unique index deliveries_by_event on deliveries (event_id, target) where replay_of is null;
create index deliveries_replays on deliveries (replay_of) where replay_of is not null;
drop index deliveries_failed;
create index deliveries_failed on deliveries (finished_at, id) where state = 'failed';
create index deliveries_to_replay on deliveries (finished_at) where state = 'failed' and replayed_at is null;

-- Requests to replay all failed deliveries that match a filter. Inserted by api-gateway, then
-- changed only by webhook-dispatcher.
create table webhook_replays (
  id uuid primary key,
  filter jsonb not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'done')),
  total bigint, -- number of matches at the start
  replayed bigint not null default 0,
  created_at timestamptz not null default now(), -- later failures are not included
  started_at timestamptz,
  finished_at timestamptz
);
create index webhook_replays_open on webhook_replays (created_at) where state <> 'done';
create index webhook_replays_by_date on webhook_replays (created_at, id);

-- Results of single attempts, if the settings enable the log. Written by webhook-dispatcher.
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
