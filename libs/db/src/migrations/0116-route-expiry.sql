-- End of a temporary route, such as the route of `posthorn webhooks listen`. Null: the route stays. api-gateway deletes
-- expired routes, webhook-dispatcher does not use them from then on.
alter table webhook_routes add column expires_at timestamptz;
