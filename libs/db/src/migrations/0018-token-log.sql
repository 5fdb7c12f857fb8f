-- What tokens were used for, where the setting tokenAuditLog asks for it. Inserted by the doors, read and cut down by api-gateway alone: whoever
-- breaks into another door cannot remove its traces. The log of a token that was deleted stays until it is old, so nothing refers to tokens.
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
  denied text -- the reason; null where it was allowed
);
create unique index token_log_by_token on token_log (token, id desc);

create index tokens_by_expiry on tokens (expires_at) where expires_at is not null;

grant select, insert, delete on token_log to posthorn_api_gateway;
grant insert on token_log to posthorn_imap_proxy, posthorn_smtp_proxy;
