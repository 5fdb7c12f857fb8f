-- Mailbox without sync (Gmail label, path excluded by the registration): only its UIDVALIDITY is
-- stored, for message ids. No event reports it.
alter table mailboxes add column ids_only boolean not null default false;
