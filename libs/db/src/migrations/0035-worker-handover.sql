-- Handover of accounts between sync-workers. Workers of the previous release ignore both columns.
-- `refusing`: true while a worker has no memory for further shards, so that others claim them.
-- `logging_in_until`: time the logins of the accounts that were handed over to this worker take.
alter table workers
  add column refusing boolean not null default false,
  add column logging_in_until timestamptz not null default now();
grant update (refusing, logging_in_until) on workers to posthorn_sync_worker;
