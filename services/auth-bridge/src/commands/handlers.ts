import type { AuthServer } from '../providers/auth-server.ts'
import { onCheckAdminTotp, onCreateAdminTotp, type TotpDeps } from './admin-totp.ts'
import { onCheckServerPassword } from './check-server-password.ts'
import { onCompleteOAuth2Login } from './complete-oauth2-login.ts'
import { onGetCredentials } from './get-credentials.ts'
import { onGetExportKey } from './get-export-key.ts'
import { onGetGatewayCredentials } from './get-gateway-credentials.ts'
import { onGetOAuth2Token, type OAuth2TokenDeps } from './get-oauth2-token.ts'
import { onGetPubSubToken } from './get-pubsub-token.ts'
import { onGetLinkSecret, onGetOpenAiApiKey, onGetServiceSecret } from './get-secrets.ts'
import { onRevokeAccountGrant, onRevokeOAuth2Grant } from './revoke-oauth2-grant.ts'
import { onStartOAuth2Login } from './start-oauth2-login.ts'
import { onUnsealHeader, onUnsealLogin } from './unseal.ts'
import { transferHandlers, type TransferDeps } from './transfer-accounts.ts'
import { onVerifyOAuth2App, type VerifyDeps } from './verify-oauth2-app.ts'

/** Handlers of all commands on the RabbitMQ queue `credentials`. */
export function createHandlers(
  deps: OAuth2TokenDeps & VerifyDeps & TransferDeps & TotpDeps & { authServer: AuthServer },
) {
  return [
    onGetCredentials(deps),
    onGetGatewayCredentials(deps),
    onGetExportKey(deps),
    onStartOAuth2Login(deps),
    onCompleteOAuth2Login(deps),
    onRevokeOAuth2Grant(deps),
    onRevokeAccountGrant(deps),
    onVerifyOAuth2App(deps),
    onGetOAuth2Token(deps),
    onGetPubSubToken(deps),
    onGetServiceSecret(deps),
    onGetLinkSecret(deps),
    onGetOpenAiApiKey(deps),
    onCreateAdminTotp(deps),
    onCheckAdminTotp(deps),
    ...onCheckServerPassword(deps),
    onUnsealLogin(deps),
    onUnsealHeader(deps),
    ...transferHandlers(deps),
  ]
}
