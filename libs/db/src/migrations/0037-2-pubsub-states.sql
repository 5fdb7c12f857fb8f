-- State of Pub/Sub per OAuth2 application.
create table if not exists pubsub_states (
  app text primary key references oauth2_apps on delete cascade,
  state text not null,
  last_error jsonb,
  updated_at timestamptz not null default now()
);
