-- State of the running replicas of imap-proxy and smtp-proxy. Each replica writes its own row every
-- 10 s, and removes the rows of replicas that have not reported for 60 s. Written by imap-proxy and
-- smtp-proxy.
create table mail_proxies (
  id uuid primary key, -- generated at each start of a replica
  service text not null check (service in ('imap-proxy', 'smtp-proxy')),
  host_name text not null,
  listener text not null check (listener in ('off', 'listening', 'failed')),
  port integer, -- null unless the listener is open
  tls boolean, -- true: TLS from the start of a connection; null unless the listener is open
  tls_port integer, -- second port, with TLS from the start; null: none
  error text, -- reason for which the listener does not listen; null unless the listener has failed
  certificate_names text[], -- null: no certificate in use
  certificate_expires_at timestamptz,
  sessions integer not null, -- of mail clients that have logged in
  reported_at timestamptz not null default now()
) with (fillfactor = 50);

grant insert, delete, select (id, reported_at),
  update (listener, port, tls, tls_port, error, certificate_names, certificate_expires_at, sessions, reported_at)
  on mail_proxies to posthorn_imap_proxy, posthorn_smtp_proxy;
grant select on mail_proxies to posthorn_api_gateway;
