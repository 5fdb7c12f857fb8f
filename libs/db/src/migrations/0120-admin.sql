-- People who may sign in to the administration pages. Written by admin-ui.
create table admin_people (
  id text primary key,
  email text not null, -- lower case
  name text not null,
  role text not null check (role in ('owner', 'operator', 'support', 'auditor')),
  may_read_mail boolean not null default false,
  disabled boolean not null default false,
  password text, -- argon2id with its parameters (PHC string); null: no password
  password_changed_at timestamptz,
  sealed text, -- seed of one-time codes (RFC 6238); null: no codes
  totp_confirmed boolean not null default false,
  totp_step bigint not null default 0, -- last time step whose code was used
  recovery_codes text[] not null default '{}', -- SHA-256 (hex) of the unused codes
  oidc_subject text, -- subject at the OpenID provider; null: not linked
  created_at timestamptz not null default now(),
  created_by text, -- null: set-up link or OpenID provider
  signed_in_at timestamptz
);
create unique index admin_people_by_email on admin_people (email);
create unique index admin_people_by_subject on admin_people (oidc_subject) where oidc_subject is not null;

-- Set-up and recovery links of owners, and invitations. Rows stay after their use until they expire, so that admin-ui
-- distinguishes used links from unknown links. Written by admin-ui.
create table admin_links (
  hash text primary key, -- SHA-256 (hex) of the token in the link
  id text not null unique,
  kind text not null check (kind in ('setUp', 'recovery', 'invitation')),
  email text,
  role text not null check (role in ('owner', 'operator', 'support', 'auditor')),
  may_read_mail boolean not null default false,
  created_at timestamptz not null default now(),
  created_by text,
  expires_at timestamptz not null,
  used_at timestamptz
);

-- Sessions of signed-in people. Written by admin-ui.
create table admin_sessions (
  hash text primary key, -- SHA-256 (hex) of the cookie's value
  id text not null unique,
  person text not null references admin_people on delete cascade,
  -- Derives the credential for api-gateway from the cookie, so that a person cannot call api-gateway without the audit
  -- log of admin-ui.
  salt text not null,
  credential_hash text not null unique, -- SHA-256 (hex) of the credential
  address text not null,
  browser text not null,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  factor_at timestamptz not null default now(), -- last sign-in or repeated factor
  mail_until timestamptz, -- end of the right to read mail; null: none
  mail_reason text
);
create index admin_sessions_by_person on admin_sessions (person);

-- Passkeys (WebAuthn credentials) of people. Written by admin-ui.
create table admin_passkeys (
  id text primary key, -- credential id (base64url)
  person text not null references admin_people on delete cascade,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null default '{}',
  name text not null,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
create index admin_passkeys_by_person on admin_passkeys (person);

-- Unfinished sign-ins: second factors, challenges of passkeys and requests to the OpenID provider. Written by admin-ui.
create table admin_challenges (
  hash text primary key, -- SHA-256 (hex) of the ticket or cookie that the browser holds
  kind text not null,
  person text references admin_people on delete cascade,
  content jsonb not null default '{}',
  attempts integer not null default 0,
  expires_at timestamptz not null
);
create index admin_challenges_by_expiry on admin_challenges (expires_at);

-- Failed attempts to sign in, by person or network address and time window, over all replicas. Written by admin-ui.
create table admin_attempts (
  subject text not null, -- `person <hash>` or `address <address>`
  window_start timestamptz not null,
  attempts integer not null,
  primary key (subject, window_start)
);

-- Audit log of people's actions. Rows are inserted and never changed. Written by admin-ui, in monthly table partitions.
create table admin_audit (
  id text not null, -- sortable by time
  at timestamptz not null default now(),
  request text not null, -- joins the row before a change and the row with its outcome
  phase text not null check (phase in ('attempt', 'outcome')),
  person text, -- null: an unknown person
  email text,
  role text,
  session text,
  address text not null,
  operation text not null,
  method text not null,
  path text not null,
  account text,
  keys text[] not null default '{}', -- names of changed members, without values
  reason text,
  status smallint, -- of the response; null in the row before a change
  outcome text, -- `done`, or the error code
  primary key (at, id)
) partition by range (at);
create index admin_audit_by_person on admin_audit (person, at desc);
create index admin_audit_by_account on admin_audit (account, at desc) where account is not null;
create index admin_audit_by_operation on admin_audit (operation, at desc);
create index admin_audit_by_email on admin_audit (email, at desc) where email is not null;
create index admin_audit_by_request on admin_audit (request);

-- Creates the table partitions of the audit log for the month of a time and the next month (UTC). A partition is
-- created first and attached afterwards, because the lock of the attachment lets other sessions read and insert.
create function ensure_admin_audit_partitions(at timestamptz default now()) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  month timestamp;
  name text;
begin
  perform pg_advisory_xact_lock(hashtext('posthorn:admin-audit'));
  for i in 0..1 loop
    month := date_trunc('month', at at time zone 'UTC') + make_interval(months => i);
    name := 'admin_audit_' || to_char(month, 'YYYYMM');
    -- A query, because to_regclass may return what the session has cached before it waited for the lock.
    if not exists (select from pg_catalog.pg_class c
      where c.relname = name and c.relnamespace = 'public'::regnamespace) then
      execute format('create table public.%I (like public.admin_audit including all)', name);
      execute format('alter table public.admin_audit attach partition public.%I for values from (%L) to (%L)', name,
        month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
    end if;
  end loop;
end $$;

-- Drops the table partitions of months that ended more than `keep_days` days ago. Returns the number of dropped
-- partitions. At least 31 days are kept.
create function drop_admin_audit_partitions(keep_days integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '200ms' as $$
declare
  part record;
  dropped integer := 0;
begin
  for part in select c.relname from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.admin_audit'::regclass order by c.relname loop
    continue when ((to_date(substr(part.relname, 13), 'YYYYMM') + interval '1 month') at time zone 'UTC')
      > now() - make_interval(days => greatest(keep_days, 31));
    begin
      execute format('drop table public.%I', part.relname);
      dropped := dropped + 1;
    exception when lock_not_available then
      return dropped;
    end;
  end loop;
  return dropped;
end $$;

-- Sessions by the hashes of their credentials, for api-gateway, which cannot list sessions. Ended, idle and expired
-- sessions and disabled people are missing from the result.
create function admin_sessions_by_credentials(hashes text[])
returns table (
  credential_hash text, session text, person text, email text, role text, may_read_mail boolean,
  factor_at timestamptz, mail_until timestamptz
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select s.credential_hash, s.id, p.id, p.email, p.role, p.may_read_mail, s.factor_at, s.mail_until
  from public.admin_sessions s join public.admin_people p on p.id = s.person
  where s.credential_hash = any (hashes) and not p.disabled
    and s.expires_at > now() and s.seen_at > now() - interval '1 hour'
$$;

revoke execute on function ensure_admin_audit_partitions(timestamptz), drop_admin_audit_partitions(integer),
  admin_sessions_by_credentials(text[]) from public;
grant execute on function ensure_admin_audit_partitions(timestamptz), drop_admin_audit_partitions(integer) to posthorn_admin_ui;
grant execute on function admin_sessions_by_credentials(text[]) to posthorn_api_gateway;

grant insert, delete,
  update (email, name, role, may_read_mail, disabled, password, password_changed_at, sealed, totp_confirmed,
    totp_step, recovery_codes, oidc_subject, signed_in_at),
  select (id, email, name, role, may_read_mail, disabled, password, password_changed_at, totp_confirmed, totp_step,
    recovery_codes, oidc_subject, created_at, created_by, signed_in_at)
  on admin_people to posthorn_admin_ui;
grant select, insert, update, delete on admin_links, admin_sessions, admin_passkeys, admin_challenges, admin_attempts
  to posthorn_admin_ui;
grant select, insert on admin_audit to posthorn_admin_ui;
grant select on settings to posthorn_admin_ui;
grant select (id, sealed, totp_confirmed), update (sealed) on admin_people to posthorn_auth_bridge;
select ensure_admin_audit_partitions();
