-- Links to the hosted form that connects a mailbox: one success each, a day at most. Written by api-gateway.
create table form_links (
  nonce text primary key,
  account text not null, -- what the mailbox becomes: no foreign key, for it may not be there yet
  request jsonb not null, -- what is known of it already, and where the person goes then
  probes integer not null default 0, -- servers asked on behalf of whoever has the link
  expires_at timestamptz not null,
  state text check (state in ('new', 'existing')) -- set when it was used: whether the account was there before
);
create index form_links_by_age on form_links (expires_at);

grant select, insert, update, delete on form_links to posthorn_api_gateway;
