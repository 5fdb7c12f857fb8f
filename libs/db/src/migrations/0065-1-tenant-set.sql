-- Members of a registration whose current value a token bound to the account has set, or the user of a hosted
-- form: imap, smtp, webhooks, webhooksCustomHeaders. Written by api-gateway.
alter table accounts add column if not exists tenant_set text[] not null default '{}';
grant update (tenant_set) on accounts to posthorn_api_gateway;
grant select (tenant_set) on accounts to posthorn_webhook_dispatcher;
