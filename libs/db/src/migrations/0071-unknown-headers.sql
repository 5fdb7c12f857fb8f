-- batches
-- Headers that 0065 counts as set by a bound token may contain credentials of an operator for the stored target:
-- they must not follow the token to another one. `unknownHeaders` marks them until they are set again.
update accounts set tenant_set = tenant_set || '{unknownHeaders}'
where account in (
  select account from accounts
  where tenant_set @> '{webhooksCustomHeaders}' and not tenant_set @> '{unknownHeaders}'
    and webhooks_custom_headers <> '[]'
  order by account limit 1000
);
