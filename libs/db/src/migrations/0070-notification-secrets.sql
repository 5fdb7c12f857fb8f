-- api-gateway distinguishes genuine notifications from forged ones by the hash of their secret.
grant select (client_state_hash) on api_watches to posthorn_api_gateway;
