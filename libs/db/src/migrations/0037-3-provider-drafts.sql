-- Sending through a mail API: draft of a submission in flight ({"id", "messageId"}), and the thread it
-- continues. Written by sender.
alter table outbox
  add column if not exists provider_draft jsonb,
  add column if not exists provider_thread text;
-- Drafts of submissions are not announced.
grant select (provider_draft, state) on outbox to posthorn_sync_worker;
