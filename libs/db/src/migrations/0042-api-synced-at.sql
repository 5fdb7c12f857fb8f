-- Time at which all feeds of an account were last read, to about half an hour. After an outage of
-- hours, all messages of folders are compared. Null: never read by a version that stores it.
alter table api_mailboxes add column synced_at timestamptz;
