-- Bulk jobs: actions on many accounts or submissions, which run in the background. Written by
-- api-gateway.
create table bulk_jobs (
  id uuid primary key,
  kind text not null check (kind in ('accounts', 'outbox')),
  action text not null,
  filter jsonb, -- null if the rows were selected by their ids
  logs boolean, -- value of accounts.logs that the action 'logs' sets
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'cancelled')),
  total integer, -- number of rows; null until a filter was evaluated
  done integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  created_at timestamptz not null default now(), -- later accounts and submissions are not included
  started_at timestamptz,
  finished_at timestamptz,
  claim uuid, -- claim of the replica that runs the job
  lease_until timestamptz -- end of the claim; without a claim: earliest time of the next claim
);
create index bulk_jobs_open on bulk_jobs (created_at) where state in ('queued', 'running');
create index bulk_jobs_by_date on bulk_jobs (kind, created_at, id);

-- Rows of bulk jobs: the selected accounts or submissions, in the order of their actions.
create table bulk_job_rows (
  job uuid not null references bulk_jobs on delete cascade,
  position integer not null,
  row_id text not null, -- accounts.account or outbox.queue_id
  state text not null default 'waiting'
    check (state in ('waiting', 'started', 'done', 'failed', 'skipped')),
  error_code text,
  error text,
  primary key (job, position)
);
create index bulk_job_rows_open on bulk_job_rows (job, position)
  where state in ('waiting', 'started');
create index bulk_job_rows_failed on bulk_job_rows (job, position) where state = 'failed';

grant select, insert, update, delete on bulk_jobs, bulk_job_rows to posthorn_api_gateway;
