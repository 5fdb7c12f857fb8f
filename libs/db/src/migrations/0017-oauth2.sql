-- OAuth2 applications, as registered at a provider. Written by api-gateway.
create table oauth2_apps (
  id text primary key,
  provider text not null check (provider in ('gmail', 'gmailService', 'outlook', 'outlookService', 'mailRu', 'generic')),
  name text not null,
  enabled boolean not null default false,
  config jsonb not null, -- all the rest that is no secret
  version bigint not null default 1, -- raised by every change
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Their secrets, sealed. Written by api-gateway, which cannot read them; opened by auth-bridge.
create table oauth2_app_secrets (
  app text not null references oauth2_apps on delete cascade,
  kind text not null check (kind in ('clientSecret', 'serviceKey', 'externalAccount')),
  sealed text not null,
  updated_at timestamptz not null default now(),
  primary key (app, kind)
);

-- How applications are doing. Written by auth-bridge.
create table oauth2_app_states (
  app text primary key references oauth2_apps on delete cascade,
  last_error jsonb,
  updated_at timestamptz not null default now()
);

-- {provider: the id of an application, useAuthServer, auth: {user, delegatedUser, delegatedAccount}}
alter table accounts add column oauth2 jsonb;
create index accounts_by_oauth2_user on accounts ((oauth2 ->> 'provider'), (lower(oauth2 -> 'auth' ->> 'user'))) where oauth2 is not null;

-- A grant (refresh token, perhaps an access token) as registered or consented to is a credential of the kind oauth2.
alter table credentials drop constraint credentials_kind_check;
alter table credentials add constraint credentials_kind_check check (kind in ('imap', 'smtp', 'oauth2'));

-- What became of a grant: the access token at hand, and the refresh token that replaced the registered one. Written by auth-bridge.
create table oauth2_tokens (
  account text primary key references accounts on delete cascade,
  grant_updated_at timestamptz not null, -- of the credential it came from: a newer one makes this worthless
  revision bigint not null default 0, -- raised by every renewal: a late one does not overwrite a newer
  sealed text, -- {accessToken, refreshToken, …}
  scopes text[] not null default '{}',
  expires_at timestamptz,
  refreshing uuid, -- the process that is asking the provider
  refreshing_until timestamptz,
  failing_since timestamptz,
  last_error jsonb,
  updated_at timestamptz not null default now()
);

-- People on their way through a provider's consent page: one use each, a day at most. Written by api-gateway.
create table oauth2_logins (
  state text primary key, -- SHA-256 of the state parameter
  app text not null references oauth2_apps on delete cascade,
  code_verifier text not null,
  registration jsonb not null, -- what becomes the account, and where the person goes then
  form text, -- the nonce of the form's link, when there is one
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
