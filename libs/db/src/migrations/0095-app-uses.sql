-- Use of mail APIs per OAuth2 application and day (UTC). Added to by sync-worker and sender every 10 s;
-- kept for eight days by webhook-dispatcher, like the other statistics.
create table oauth2_app_uses (
  app text not null,
  day date not null,
  requests bigint not null,
  units bigint not null,
  limited bigint not null, -- requests that the provider refused because of a limit
  primary key (app, day)
) with (fillfactor = 80);
grant select, insert, update on oauth2_app_uses to posthorn_sync_worker, posthorn_sender;
grant select on oauth2_app_uses to posthorn_api_gateway;
grant select (day), delete on oauth2_app_uses to posthorn_webhook_dispatcher;
