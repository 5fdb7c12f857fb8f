-- Flush: a request increments `accounts.flush_epoch`; the flush is complete when
-- `account_states.flushed_epoch` reaches it.
alter table accounts add column flush_epoch bigint not null default 0;
alter table account_states add column flushed_epoch bigint not null default 0;

-- Last mailbox whose sync failed, {path, time, error}. Null when all mailboxes were synced.
alter table account_states add column sync_error jsonb;
-- Number of open connections to the mail server, a few seconds old.
alter table account_states add column connections integer not null default 0;
