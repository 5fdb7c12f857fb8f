-- Replaced webhook keys stay in use for additional signatures until this time.
alter table sealed_settings add column expires_at timestamptz;

-- Keeps the present service secret for `seconds` before its replacement. Called by api-gateway,
-- which can read neither.
create function keep_previous_service_secret(seconds integer) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  present text;
begin
  select sealed into present from public.sealed_settings where key = 'serviceSecret' for update;
  delete from public.sealed_settings where key like 'serviceSecret:%' and expires_at <= now();
  if present is null or seconds <= 0 then
    return;
  end if;
  insert into public.sealed_settings (key, sealed, expires_at)
    values ('serviceSecret:' || gen_random_uuid(), present, now() + make_interval(secs => seconds));
  -- Limits the signatures per webhook, however often the secret is replaced.
  delete from public.sealed_settings where key like 'serviceSecret:%' and key not in
    (select s.key from public.sealed_settings s where s.key like 'serviceSecret:%' order by s.updated_at desc, s.key limit 4);
end $$;
revoke execute on function keep_previous_service_secret(integer) from public;
grant execute on function keep_previous_service_secret(integer) to posthorn_api_gateway;
grant select (expires_at) on sealed_settings to posthorn_api_gateway;
