-- Accounts that an operator paused: no session connects them, their state is `paused`.
alter table accounts add column paused boolean not null default false;

-- Submissions whose bounce arrived. Written by sync-worker in the transaction of `messageBounce`,
-- all other columns by sender.
alter table outbox add column bounced_at timestamptz;
create index outbox_bounced on outbox (finished_at desc, queue_id) where bounced_at is not null;
grant select (bounced_at), update (bounced_at) on outbox to posthorn_sync_worker;
