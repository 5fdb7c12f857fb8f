-- Access tokens that were imported from EmailEngine. Their id is the SHA-256 of the 32 raw bytes of the value, other
-- tokens have the SHA-256 of the text. A value matches a token only by the id of the same kind.
alter table tokens add column imported boolean not null default false;

-- Imported tokens that were deleted by the API, so that a later import does not store them again. Written by
-- api-gateway.
create table deleted_token_imports (
  id text primary key,
  deleted_at timestamptz not null default now()
);
grant select, insert on deleted_token_imports to posthorn_api_gateway;

-- Access token by both ids of its value, for the proxies, which cannot list tokens. imported_id is null for a value
-- that EmailEngine cannot have created.
create function token_by_value(own_id text, imported_id text)
  returns table (id text, account text, scopes text[], restrictions jsonb, permissions jsonb, expires_at timestamptz)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select t.id, t.account, t.scopes, t.restrictions, t.permissions, t.expires_at from public.tokens t
    where (t.id = own_id and not t.imported) or (t.id = imported_id and t.imported)
    order by t.imported limit 1
$$;
revoke execute on function token_by_value(text, text) from public;
grant execute on function token_by_value(text, text) to posthorn_imap_proxy, posthorn_smtp_proxy;
