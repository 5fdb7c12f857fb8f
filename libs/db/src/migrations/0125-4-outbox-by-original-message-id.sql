-- no transaction
-- Search of submissions by the submitted Message-ID, if the mail server has replaced it.
create index concurrently if not exists outbox_by_original_message_id on outbox (original_message_id)
  where original_message_id is not null;
