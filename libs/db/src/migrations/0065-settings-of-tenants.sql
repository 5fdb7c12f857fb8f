-- batches
-- The origin of values older than `tenant_set` is unknown: those of accounts with a bound token of the API count
-- as set by it.
update accounts set tenant_set = '{imap,smtp,webhooks,webhooksCustomHeaders}'
where account in (
  select account from accounts
  where tenant_set = '{}' and exists (
    select from tokens where tokens.account = accounts.account and tokens.scopes && '{api,*}'
  )
  order by account limit 1000
);
