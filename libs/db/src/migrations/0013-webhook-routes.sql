-- Webhook routes: additional targets with their own filter and map. Written by api-gateway.
create table webhook_routes (
  id text primary key,
  name text not null,
  description text,
  target_url text not null, -- may contain credentials: masked in every output
  enabled boolean not null default true,
  custom_headers jsonb not null default '[]', -- [{key, value}]
  filter text, -- null: all events
  map text, -- null: the unchanged event
  version integer not null default 1, -- incremented by every change
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index webhook_routes_by_age on webhook_routes (created_at, id);

-- Version of all routes, incremented by every change. Read together with the events, it shows
-- whether a dispatcher's cached routes are current.
create table webhook_routes_stamp (
  stamp bigint not null
);
insert into webhook_routes_stamp (stamp) values (0);
create function raise_webhook_routes_stamp() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  update public.webhook_routes_stamp set stamp = stamp + 1;
  return null;
end $$;
create trigger webhook_routes_changed after insert or update or delete on webhook_routes
  for each statement execute function raise_webhook_routes_stamp();

-- Number of times a route was applied. One row per partition of the events, so that partitions do
-- not wait for each other. Written by webhook-dispatcher.
create table webhook_route_counts (
  route text not null,
  slot smallint not null,
  count bigint not null,
  primary key (route, slot)
);
-- Last error of each route target. The row exists until the next success. Written by
-- webhook-dispatcher.
create table webhook_route_states (
  route text primary key,
  error_flag text not null,
  updated_at timestamptz not null default now()
);
-- Last failures of route functions. Written by webhook-dispatcher.
create table webhook_route_errors (
  id bigint generated always as identity primary key,
  route text not null,
  created_at timestamptz not null default now(),
  function text not null check (function in ('filter', 'map')),
  reason text not null,
  event text not null,
  account text not null,
  event_id uuid not null
);
create index webhook_route_errors_of_route on webhook_route_errors (route, id);

-- body to send, if it differs from the body of the event
alter table deliveries add column body text;

grant select, insert, update, delete on webhook_routes to posthorn_api_gateway;
grant select on webhook_route_counts, webhook_route_states, webhook_route_errors to posthorn_api_gateway;
grant select on webhook_routes, webhook_routes_stamp to posthorn_webhook_dispatcher;
grant select, insert, update, delete on webhook_route_counts, webhook_route_states, webhook_route_errors to posthorn_webhook_dispatcher;
