-- Uses of tokens, if the setting tokenAuditLog enables the log. Inserted by api-gateway and both
-- proxies; read and deleted only by api-gateway, so that a compromised proxy cannot remove its
-- traces. No foreign key to tokens: the log of a deleted token stays until it expires.
create table token_log (
  id bigint generated always as identity,
  token text not null,
  at timestamptz not null,
  ip text,
  method text,
  path text,
  action text,
  action_group text,
  account text,
  denied text -- reason; null if allowed
);
create unique index token_log_by_token on token_log (token, id desc);

create index tokens_by_expiry on tokens (expires_at) where expires_at is not null;

grant select, insert, delete on token_log to posthorn_api_gateway;
grant insert on token_log to posthorn_imap_proxy, posthorn_smtp_proxy;
