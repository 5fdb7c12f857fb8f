import {
  type FieldError,
  fieldError,
  validationError,
  type OAuth2AppConfig,
  type OAuth2AppRegistration,
  type OAuth2AppUpdate,
  type OAuth2Provider,
} from '@posthorn/contracts'
import type { AppSecretKind } from '../../store/oauth2-apps.ts'
import { mask } from '../../http/masks.ts'

/** An application as stored, and which secrets there are. */
export interface StoredApp {
  provider: OAuth2Provider
  name: string
  enabled: boolean
  config: OAuth2AppConfig
  secrets: readonly AppSecretKind[]
}

export interface AppPlan {
  name: string
  enabled: boolean
  config: OAuth2AppConfig
  /** Those that are not here stay. */
  secrets: Partial<Record<AppSecretKind, string>>
}

/**
 * What a registration makes of an application.
 *
 * @throws AppError `invalid` with `fields`
 */
export function planRegistration(body: OAuth2AppRegistration): AppPlan {
  const { name, provider, enabled = false, ...rest } = body
  const { config, secrets } = partsOf(rest)
  const errors = Object.entries(secrets)
    .filter(([, secret]) => secret === mask)
    .map(([kind]) => fieldError(kind, 'is required'))
  const plan = { name, enabled, config: withDefaults(provider, config), secrets }
  assertWhole(provider, plan, errors)
  return plan
}

/** What an update makes of one: what is not given stays, `false` and null take away, a masked secret stands for the one that is stored. */
export function planUpdate(body: OAuth2AppUpdate, stored: StoredApp): AppPlan {
  const { name = stored.name, enabled = stored.enabled, tenant, ...rest } = body
  const authority = rest.authority ?? tenant
  const given = partsOf({ ...rest, ...(authority === undefined ? {} : { authority }) })
  const merged = Object.entries({ ...stored.config, ...given.config })
  const config = Object.fromEntries(
    merged.filter(([, value]) => value !== false && value !== null),
  ) as OAuth2AppConfig
  const secrets = Object.fromEntries(
    Object.entries(given.secrets).filter(([, secret]) => secret !== mask),
  )
  const plan = { name, enabled, config, secrets }
  const errors = movedSecret(plan, stored)
  assertWhole(stored.provider, { ...plan, kept: stored.secrets }, errors)
  return plan
}

type Given = Omit<OAuth2AppUpdate, 'name' | 'enabled' | 'tenant'> &
  Pick<OAuth2AppRegistration, 'baseScopes' | 'authMethod'>

function partsOf({ clientSecret, serviceKey, externalAccount, ...config }: Given) {
  const secrets = Object.entries({ clientSecret, serviceKey, externalAccount })
  return {
    config: config as OAuth2AppConfig,
    secrets: Object.fromEntries(
      secrets.filter((entry): entry is [string, string] => entry[1] !== undefined),
    ) as AppPlan['secrets'],
  }
}

function withDefaults(provider: OAuth2Provider, config: OAuth2AppConfig): OAuth2AppConfig {
  return {
    baseScopes: 'imap',
    ...(provider.startsWith('outlook') ? { cloud: 'global' as const } : {}),
    ...(provider === 'gmailService' ? { authMethod: 'serviceKey' as const } : {}),
    ...config,
  }
}

/** Whoever may change an application, and not read its secret, would have it sent to a server of theirs. */
function movedSecret({ config, secrets }: AppPlan, stored: StoredApp): FieldError[] {
  const isKept = stored.secrets.includes('clientSecret') && secrets.clientSecret === undefined
  const moved = (['issuer', 'tokenUrl', 'revokeUrl', 'cloud'] as const).some(
    (name) => config[name] !== stored.config[name],
  )
  return isKept && moved ? [fieldError('clientSecret', 'is required for another provider')] : []
}

type Whole = AppPlan & { kept?: readonly AppSecretKind[] }

function assertWhole(provider: OAuth2Provider, plan: Whole, errors: FieldError[]): void {
  const { config, secrets, kept = [] } = plan
  const has = (name: string) =>
    Boolean(config[name as keyof OAuth2AppConfig]) ||
    secrets[name as AppSecretKind] !== undefined ||
    kept.includes(name as AppSecretKind)
  const missing = required[provider].filter((name) => !has(name))
  errors.push(
    ...missing.map((name) => fieldError(name, 'is required')),
    ...foreign(provider, config),
    ...(provider === 'generic' ? placeErrors(config) : []),
    ...(provider === 'outlookService' ? tenantErrors(config) : []),
    // Workload Identity Federation: nobody could get a token by it.
    ...(config.authMethod === 'externalAccount' || secrets.externalAccount !== undefined
      ? [fieldError('externalAccount', 'is not possible yet; use a service key')]
      : []),
  )
  if (errors.length > 0) throw validationError(errors)
}

const byConsent = ['clientId', 'clientSecret', 'redirectUrl'] as const
const required: Record<OAuth2Provider, readonly string[]> = {
  gmail: byConsent,
  gmailService: ['serviceClient', 'serviceClientEmail', 'serviceKey'],
  outlook: [...byConsent, 'authority'],
  outlookService: ['clientId', 'clientSecret', 'authority'],
  mailRu: byConsent,
  // A public client has no secret: RFC 6749 §2.1.
  generic: ['clientId', 'redirectUrl'],
}

const genericOnly = [
  'issuer',
  'authorizeUrl',
  'tokenUrl',
  'userinfoUrl',
  'revokeUrl',
  'scopes',
  'imap',
  'smtp',
] as const

/** Where the others are found is known; a secret of theirs goes nowhere else. */
function foreign(provider: OAuth2Provider, config: OAuth2AppConfig): FieldError[] {
  if (provider === 'generic') return []
  return genericOnly
    .filter((name) => config[name] !== undefined)
    .map((name) => fieldError(name, 'is for generic providers alone'))
}

function placeErrors({ issuer, authorizeUrl, tokenUrl }: OAuth2AppConfig): FieldError[] {
  if (issuer !== undefined) return []
  return Object.entries({ authorizeUrl, tokenUrl })
    .filter(([, value]) => value === undefined)
    .map(([name]) => fieldError(name, 'is required without an issuer'))
}

/** An application of its own logs in to one directory. */
function tenantErrors({ authority = '' }: OAuth2AppConfig): FieldError[] {
  return ['common', 'organizations', 'consumers'].includes(authority)
    ? [fieldError('authority', 'must be the id or the domain of a tenant')]
    : []
}
