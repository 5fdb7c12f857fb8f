-- no transaction
-- Search of accounts by a part of their id, name or email address.
create index concurrently if not exists accounts_by_text on accounts
  using gin (lower(account || chr(10) || coalesce(name, '') || chr(10) || coalesce(email, '')) gin_trgm_ops);
