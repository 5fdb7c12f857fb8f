-- True for sync-workers that lend units of mailboxes to senders.
alter table workers add column lends boolean not null default false;
