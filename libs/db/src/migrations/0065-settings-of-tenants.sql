-- Members of a registration whose current value a token bound to the account has set, or the user of a hosted
-- form: imap, smtp, webhooks, webhooksCustomHeaders. Written by api-gateway. The origin of older values is
-- unknown: those of accounts with a bound token of the API count as set by it.
alter table accounts add column tenant_set text[] not null default '{}';
update accounts set tenant_set = '{imap,smtp,webhooks,webhooksCustomHeaders}'
where exists (
  select from tokens where tokens.account = accounts.account and tokens.scopes && '{api,*}'
);
grant update (tenant_set) on accounts to posthorn_api_gateway;
grant select (tenant_set) on accounts to posthorn_webhook_dispatcher;

-- True for lines after the reply to a login, which only a mail server sends. Tokens that are bound to an account
-- read no others. Lines of older releases count as earlier ones.
alter table account_logs add column after_login boolean not null default false;
