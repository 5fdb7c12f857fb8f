-- no transaction
create index concurrently if not exists outbox_provider_drafts on outbox (account) where provider_draft is not null;
