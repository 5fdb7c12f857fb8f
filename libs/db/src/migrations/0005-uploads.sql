-- Messages on their way into a folder: what is too large for the bus. Inserted by api-gateway just before it asks for them to be stored, taken
-- out by the sync-worker that does it, or by the gateway when nobody does. Unlogged: nothing is promised before the worker has answered.
create unlogged table uploads (
  id uuid primary key,
  account text not null references accounts on delete cascade,
  mime bytea not null,
  created_at timestamptz not null default now()
);
alter table uploads alter column mime set storage external; -- mail is mostly base64: compressing it costs more than it saves
create index uploads_by_age on uploads (created_at);
create index uploads_by_account on uploads (account);

grant insert, delete, select (id) on uploads to posthorn_api_gateway;
grant select, delete on uploads to posthorn_sync_worker;
