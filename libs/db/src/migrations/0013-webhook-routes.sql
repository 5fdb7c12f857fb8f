-- Further targets of events, with a filter and a map of their own. Written by api-gateway.
create table webhook_routes (
  id text primary key,
  name text not null,
  description text,
  target_url text not null, -- may hold credentials: masked whenever it is shown
  enabled boolean not null default true,
  custom_headers jsonb not null default '[]', -- [{key, value}]
  filter text, -- null: every event
  map text, -- null: the event as it is
  version integer not null default 1, -- raised by every change
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index webhook_routes_by_age on webhook_routes (created_at, id);

-- Raised by every change of a route: read together with the events, it says whether what a dispatcher knows of the routes is what they were then.
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

-- How often a route has been applied. Each partition of the events has its own row, so that none waits for another. Written by webhook-dispatcher.
create table webhook_route_counts (
  route text not null,
  slot smallint not null,
  count bigint not null,
  primary key (route, slot)
);
-- What the target of a route said last; a row is there while that was no success. Written by webhook-dispatcher.
create table webhook_route_states (
  route text primary key,
  error_flag text not null,
  updated_at timestamptz not null default now()
);
-- The last times that a function of a route failed. Written by webhook-dispatcher.
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

alter table deliveries add column body text; -- what is sent, where it is not the event's own body

grant select, insert, update, delete on webhook_routes to posthorn_api_gateway;
grant select on webhook_route_counts, webhook_route_states, webhook_route_errors to posthorn_api_gateway;
grant select on webhook_routes, webhook_routes_stamp to posthorn_webhook_dispatcher;
grant select, insert, update, delete on webhook_route_counts, webhook_route_states, webhook_route_errors to posthorn_webhook_dispatcher;
