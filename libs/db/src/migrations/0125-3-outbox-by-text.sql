-- no transaction
-- Search of submissions by a part of their subject or recipients.
create index concurrently if not exists outbox_by_text on outbox
  using gin (lower(coalesce(subject, '') || chr(10) || coalesce(envelope ->> 'to', '')) gin_trgm_ops);
