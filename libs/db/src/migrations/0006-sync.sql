-- `full`: all UIDs and flags are stored; `fast`: only UIDNEXT. Set when the mailbox is first
-- stored, then fixed.
alter table mailboxes add column indexer text not null default 'full' check (indexer in ('full', 'fast'));

-- MAILBOXID (RFC 8474), if the server supports it: identifies a renamed mailbox.
alter table mailboxes add column mailbox_id text;

-- Time of the first listing without the mailbox. A later listing without it deletes the mailbox.
alter table mailboxes add column missing_since timestamptz;

-- Hashes of the paths in `mailboxes`, 8 bytes each: tells a new mailbox from one whose row was
-- lost.
alter table account_states add column known_mailboxes bytea;
