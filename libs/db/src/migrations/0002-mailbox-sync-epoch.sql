-- Incremented by every commit of changes to a mailbox. Part of event ids where the server provides
-- no MODSEQ or similar value.
alter table mailboxes add column sync_epoch bigint not null default 0;
