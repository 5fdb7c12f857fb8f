-- Rotation of the sealing key: auth-bridge puts the same value, sealed with another key, in the place of the one there. Nothing else of these rows is its to write.
grant update (sealed) on credentials, gateway_credentials, oauth2_app_secrets, sealed_settings to posthorn_auth_bridge;
