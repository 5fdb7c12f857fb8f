-- Submission that a bounce refers to. sync-worker may read these columns since 0008.
create index outbox_by_message_id on outbox (message_id);
