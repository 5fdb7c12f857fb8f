-- The account record shows the subscription at Microsoft Graph.
grant select (remote_id) on api_watches to posthorn_api_gateway;
