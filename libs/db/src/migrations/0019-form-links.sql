-- Links to the hosted form that connects a mailbox: valid for one success and at most 24 h. Written
-- by api-gateway.
create table form_links (
  nonce text primary key,
  account text not null, -- future account id; no foreign key, because the account may not exist yet
  request jsonb not null, -- prefilled fields and the final redirect URL
  probes integer not null default 0, -- number of server probes for the holder of the link
  expires_at timestamptz not null,
  -- set at the first use: whether the account existed before
  state text check (state in ('new', 'existing'))
);
create index form_links_by_age on form_links (expires_at);

grant select, insert, update, delete on form_links to posthorn_api_gateway;
