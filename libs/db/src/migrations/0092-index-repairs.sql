-- Progress of the monthly comparison of a message index with a list of the whole mailbox, and the time of the next one.
-- Null: none yet.
alter table api_mailboxes add column repair jsonb;
