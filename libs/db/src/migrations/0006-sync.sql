-- `full`: all UIDs and flags are remembered; `fast`: only the next UID. Decided when the mailbox is found, for as long as it is known.
alter table mailboxes add column indexer text not null default 'full' check (indexer in ('full', 'fast'));

-- MAILBOXID (RFC 8474), where the server tells it: proves that a mailbox of another path is the one from before.
alter table mailboxes add column mailbox_id text;

-- Since when listings leave the mailbox out. It is deleted when a later one does so, too.
alter table mailboxes add column missing_since timestamptz;

-- Hashes of the paths in `mailboxes`, 8 bytes each: tells a mailbox that is new from one whose row was lost.
alter table account_states add column known_mailboxes bytea;
