-- Failed consents of accounts: the error of the provider in the OAuth2 callback, or of the exchange of
-- the code. Written by api-gateway; deleted when a consent of the account succeeds.
create table oauth2_consent_errors (
  account text primary key references accounts on delete cascade,
  error jsonb not null,
  failed_at timestamptz not null default now()
);
grant select, insert, update, delete on oauth2_consent_errors to posthorn_api_gateway;
