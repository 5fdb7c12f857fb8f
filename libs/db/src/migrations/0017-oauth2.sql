-- OAuth2 applications as registered at a provider. Written by api-gateway.
create table oauth2_apps (
  id text primary key,
  provider text not null check (provider in ('gmail', 'gmailService', 'outlook', 'outlookService', 'mailRu', 'generic')),
  name text not null,
  enabled boolean not null default false,
  config jsonb not null, -- all other members, none of them secret
  version bigint not null default 1, -- incremented by every change
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Sealed secrets of OAuth2 applications. Written by api-gateway, which cannot unseal them; unsealed
-- by auth-bridge.
create table oauth2_app_secrets (
  app text not null references oauth2_apps on delete cascade,
  kind text not null check (kind in ('clientSecret', 'serviceKey', 'externalAccount')),
  sealed text not null,
  updated_at timestamptz not null default now(),
  primary key (app, kind)
);

-- Current status of each OAuth2 application. Written by auth-bridge.
create table oauth2_app_states (
  app text primary key references oauth2_apps on delete cascade,
  last_error jsonb,
  updated_at timestamptz not null default now()
);

-- {provider: application id, useAuthServer, auth: {user, delegatedUser, delegatedAccount}}
alter table accounts add column oauth2 jsonb;
create index accounts_by_oauth2_user on accounts ((oauth2 ->> 'provider'), (lower(oauth2 -> 'auth' ->> 'user'))) where oauth2 is not null;

-- A registered or consented grant (refresh token, optional access token) is a credential of kind
-- oauth2.
alter table credentials drop constraint credentials_kind_check;
alter table credentials add constraint credentials_kind_check check (kind in ('imap', 'smtp', 'oauth2'));

-- Tokens of a grant: the current access token, and the refresh token that replaced the registered
-- one. Written by auth-bridge.
create table oauth2_tokens (
  account text primary key references accounts on delete cascade,
  -- version of the credential it was derived from: a newer one invalidates this row
  grant_updated_at timestamptz not null,
  -- incremented by every renewal: a late renewal does not overwrite a newer one
  revision bigint not null default 0,
  sealed text, -- {accessToken, refreshToken, …}
  scopes text[] not null default '{}',
  expires_at timestamptz,
  refreshing uuid, -- process that is requesting a token from the provider
  refreshing_until timestamptz,
  failing_since timestamptz,
  last_error jsonb,
  updated_at timestamptz not null default now()
);

-- Pending consents at a provider: single use, valid for at most 24 h. Written by api-gateway.
create table oauth2_logins (
  state text primary key, -- SHA-256 of the state parameter
  app text not null references oauth2_apps on delete cascade,
  code_verifier text not null,
  registration jsonb not null, -- the future registration and the final redirect URL
  form text, -- nonce of the hosted form's link, if the consent started there
  expires_at timestamptz not null
);
create index oauth2_logins_by_age on oauth2_logins (expires_at);

grant select, insert, update, delete on oauth2_apps, oauth2_logins to posthorn_api_gateway;
grant select (app, kind, updated_at), insert, update, delete on oauth2_app_secrets to posthorn_api_gateway;
grant select on oauth2_app_states to posthorn_api_gateway;
grant select (account, scopes, expires_at, failing_since, last_error, updated_at) on oauth2_tokens to posthorn_api_gateway;
grant select on oauth2_apps to posthorn_auth_bridge, posthorn_sync_worker, posthorn_sender, posthorn_imap_proxy, posthorn_smtp_proxy;
grant select on oauth2_app_secrets to posthorn_auth_bridge;
grant select, insert, update, delete on oauth2_app_states, oauth2_tokens to posthorn_auth_bridge;
