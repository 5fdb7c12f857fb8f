-- A flush is asked for by raising the one, and done when the other has reached it.
alter table accounts add column flush_epoch bigint not null default 0;
alter table account_states add column flushed_epoch bigint not null default 0;

-- The last mailbox that could not be looked at, until all could: {path, time, error}.
alter table account_states add column sync_error jsonb;
-- Connections to the mail server that stand, as of a few seconds ago.
alter table account_states add column connections integer not null default 0;
