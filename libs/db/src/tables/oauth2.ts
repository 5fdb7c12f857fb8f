import type { ConsentFailure } from '@posthorn/contracts/schemas/account-oauth2'
import type { LastError } from '@posthorn/contracts/schemas/account'
import type { OAuth2AppConfig, OAuth2Provider } from '@posthorn/contracts/schemas/oauth2-app'
import type { Generated } from 'kysely'
import type { Json, JsonOrNull } from './json.ts'

/** OAuth2 applications that are registered at a provider. Written by api-gateway. */
export interface OAuth2Apps {
  id: string
  provider: OAuth2Provider
  name: string
  enabled: Generated<boolean>
  /** Additional settings of the OAuth2 application, without secrets. */
  config: Json<OAuth2AppConfig>
  version: Generated<string>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

/**
 * Sealed (encrypted) secrets of OAuth2 applications. Written by api-gateway. Only auth-bridge can
 * unseal them.
 */
export interface OAuth2AppSecrets {
  app: string
  kind: 'clientSecret' | 'serviceKey' | 'externalAccount'
  sealed: string
  updatedAt: Generated<Date>
}

/** State of OAuth2 applications, such as their last error. Written by auth-bridge. */
export interface OAuth2AppStates {
  app: string
  lastError: JsonOrNull<LastError>
  updatedAt: Generated<Date>
}

/**
 * Access tokens that an OAuth2 provider issued for the OAuth2 grant (consent) of an account.
 * Written by auth-bridge.
 */
export interface OAuth2Tokens {
  account: string
  /**
   * `updated_at` of the credential with the OAuth2 grant. A newer credential makes the access
   * tokens of this row invalid.
   */
  grantUpdatedAt: Date
  /**
   * Number of the last renewal of an account's access token. Prevents a late renewal from
   * overwriting a newer token.
   */
  revision: Generated<string>
  sealed: string | null
  scopes: Generated<string[]>
  expiresAt: Date | null
  refreshing: string | null
  refreshingUntil: Date | null
  failingSince: Date | null
  /**
   * Earliest time of the next request to the OAuth2 token endpoint after a failure. Null if
   * auth-bridge's own delays apply.
   */
  retryAt: Date | null
  lastError: JsonOrNull<LastError>
  updatedAt: Generated<Date>
}

/** Pending OAuth2 consents. Each consent is valid for one use. Written by api-gateway. */
export interface OAuth2Logins {
  /** SHA-256 hash (hex) of the `state` parameter in the URL of the OAuth2 consent page. */
  state: string
  app: string
  codeVerifier: string
  /**
   * Account to register after the OAuth2 consent, and the URL to which the browser is redirected
   * afterwards.
   */
  registration: JsonOrNull<Record<string, unknown>>
  /**
   * Nonce of the link to the hosted form in which the consent started. Null without a hosted form.
   */
  form: string | null
  expiresAt: Date
}

/**
 * Failed OAuth2 consents of accounts. Written by api-gateway. A successful consent deletes the row
 * of the account.
 */
export interface OAuth2ConsentErrors {
  account: string
  error: Json<ConsentFailure>
  failedAt: Generated<Date>
}
