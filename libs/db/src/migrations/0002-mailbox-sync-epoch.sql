-- Raised by every commit of a mailbox's changes: event ids are made of it where the server gives nothing to tell changes apart.
alter table mailboxes add column sync_epoch bigint not null default 0;
