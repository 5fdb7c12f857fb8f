import type { LastError, OAuth2AppConfig, OAuth2Provider } from '@posthorn/contracts'
import type { Generated } from 'kysely'
import type { Json, JsonOrNull } from './json.ts'

/** OAuth2 applications, as registered at a provider. Written by api-gateway. */
export interface OAuth2Apps {
  id: string
  provider: OAuth2Provider
  name: string
  enabled: Generated<boolean>
  /** All the rest that is no secret. */
  config: Json<OAuth2AppConfig>
  version: Generated<string>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

/** Their secrets, sealed. Written by api-gateway, which cannot read them; opened by auth-bridge. */
export interface OAuth2AppSecrets {
  app: string
  kind: 'clientSecret' | 'serviceKey' | 'externalAccount'
  sealed: string
  updatedAt: Generated<Date>
}

/** How applications are doing. Written by auth-bridge. */
export interface OAuth2AppStates {
  app: string
  lastError: JsonOrNull<LastError>
  updatedAt: Generated<Date>
}

/** What became of a grant. Written by auth-bridge. */
export interface OAuth2Tokens {
  account: string
  /** `updated_at` of the credential it came from: a newer one makes this worthless. */
  grantUpdatedAt: Date
  /** Raised by every renewal: a late one does not overwrite a newer. */
  revision: Generated<string>
  sealed: string | null
  scopes: Generated<string[]>
  expiresAt: Date | null
  refreshing: string | null
  refreshingUntil: Date | null
  failingSince: Date | null
  lastError: JsonOrNull<LastError>
  updatedAt: Generated<Date>
}

/** People on their way through a provider's consent page: one use each. Written by api-gateway. */
export interface OAuth2Logins {
  /** SHA-256 (hex) of the state parameter. */
  state: string
  app: string
  codeVerifier: string
  /** What becomes the account, and where the person goes then. */
  registration: JsonOrNull<Record<string, unknown>>
  /** The nonce of the form's link, when there is one. */
  form: string | null
  expiresAt: Date
}
