-- Recipients that the server had accepted when the intent record was written. Null: all of the envelope.
-- Written by sender with data_sent_at, read only with it. Senders of the previous release ignore it.
alter table outbox add column handed_over jsonb;
grant update (handed_over) on outbox to posthorn_sender;
