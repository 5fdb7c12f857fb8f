-- A mailbox that nobody looks after (Gmail's labels, paths that a registration leaves out): its UIDVALIDITY is known for the sake of message
-- ids, and no event ever told of it.
alter table mailboxes add column ids_only boolean not null default false;
