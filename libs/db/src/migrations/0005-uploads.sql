-- Messages to append that are too large for the bus. Inserted by api-gateway before the command.
-- Deleted by the sync-worker that appends them, or by api-gateway if no worker replies. Unlogged:
-- nothing is promised before the reply.
create unlogged table uploads (
  id uuid primary key,
  account text not null references accounts on delete cascade,
  mime bytea not null,
  created_at timestamptz not null default now()
);
-- mail is mostly base64: compression costs more than it saves
alter table uploads alter column mime set storage external;
create index uploads_by_age on uploads (created_at);
create index uploads_by_account on uploads (account);

grant insert, delete, select (id) on uploads to posthorn_api_gateway;
grant select, delete on uploads to posthorn_sync_worker;
