import type { ConsentFailure } from '@posthorn/contracts/schemas/account-oauth2'
import type { LastError } from '@posthorn/contracts/schemas/account'
import type { OAuth2AppConfig, OAuth2Provider } from '@posthorn/contracts/schemas/oauth2-app'
import type { Generated } from 'kysely'
import type { Json, JsonOrNull } from './json.ts'

/** OAuth2 applications registered at a provider. Written by api-gateway. */
export interface OAuth2Apps {
  id: string
  provider: OAuth2Provider
  name: string
  enabled: Generated<boolean>
  /** Further settings of the OAuth2 application, without secrets. */
  config: Json<OAuth2AppConfig>
  version: Generated<string>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

/** Sealed secrets of OAuth2 applications. Written by api-gateway, unsealed by auth-bridge only. */
export interface OAuth2AppSecrets {
  app: string
  kind: 'clientSecret' | 'serviceKey' | 'externalAccount'
  sealed: string
  updatedAt: Generated<Date>
}

/** State of OAuth2 applications. Written by auth-bridge. */
export interface OAuth2AppStates {
  app: string
  lastError: JsonOrNull<LastError>
  updatedAt: Generated<Date>
}

/** Access tokens that an OAuth2 provider issued for an account's grant. Written by auth-bridge. */
export interface OAuth2Tokens {
  account: string
  /**
   * `updated_at` of the credential that contains the OAuth2 grant. A newer credential invalidates
   * the tokens of the row.
   */
  grantUpdatedAt: Date
  /**
   * Number of the last renewal of the token, so that a late renewal does not overwrite a newer
   * token.
   */
  revision: Generated<string>
  sealed: string | null
  scopes: Generated<string[]>
  expiresAt: Date | null
  refreshing: string | null
  refreshingUntil: Date | null
  failingSince: Date | null
  /**
   * Earliest time of the next token request after a failure; null: auth-bridge uses its own delays.
   */
  retryAt: Date | null
  lastError: JsonOrNull<LastError>
  updatedAt: Generated<Date>
}

/** Pending OAuth2 consents, valid for one use each. Written by api-gateway. */
export interface OAuth2Logins {
  /** SHA-256 (hex) of the `state` parameter of the consent. */
  state: string
  app: string
  codeVerifier: string
  /** Account to register after the consent, and the URL to redirect to. */
  registration: JsonOrNull<Record<string, unknown>>
  /** Nonce of the link to the hosted form that started the consent, if any. */
  form: string | null
  expiresAt: Date
}

/**
 * Failed OAuth2 consents of accounts. Written by api-gateway; a consent that succeeds deletes the
 * row.
 */
export interface OAuth2ConsentErrors {
  account: string
  error: Json<ConsentFailure>
  failedAt: Generated<Date>
}
