-- Attempts of sync-worker to watch an account, as the account record shows them.
alter table api_watches
  add column if not exists attempted_at timestamptz, -- latest stored attempt; null for rows of older releases
  add column if not exists create_failures integer not null default 0, -- since the last success
  add column if not exists renew_failures integer not null default 0;
grant select (attempted_at, create_failures, renew_failures) on api_watches to posthorn_api_gateway;
