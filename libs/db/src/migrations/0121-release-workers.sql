-- api-gateway marks a worker as stopping, so that the worker hands its shards over.
grant update (stopping) on workers to posthorn_api_gateway;
