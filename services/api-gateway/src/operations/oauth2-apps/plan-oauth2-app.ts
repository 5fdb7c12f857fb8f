import {
  defined,
  type FieldError,
  fieldError,
  validationError,
  type OAuth2AppConfig,
  type OAuth2AppRegistration,
  type OAuth2AppUpdate,
  type OAuth2Provider,
} from '@posthorn/contracts'
import { mask } from '../../http/masks.ts'
import type { AppSecretKind, LockedApp } from '../../store/oauth2-apps.ts'

/** Changes of an application. */
export interface AppPlan {
  name: string
  enabled: boolean
  config: OAuth2AppConfig
  /** New secrets; absent ones stay. */
  secrets: Partial<Record<AppSecretKind, string>>
}

/**
 * Plans the registration of an application.
 *
 * @throws AppError `invalid` with `fields`
 */
export function planRegistration(body: OAuth2AppRegistration): AppPlan {
  const { name, provider, enabled = false, ...rest } = body
  const { config, secrets } = splitSecrets(rest)
  const errors = Object.entries(secrets)
    .filter(([, secret]) => secret === mask)
    .map(([kind]) => fieldError(kind, 'is required'))
  errors.push(...unsupportedErrors(config))
  const plan = { name, enabled, config: withDefaults(provider, config), secrets }
  assertComplete(provider, plan, errors)
  return plan
}

/**
 * Plans an update. Absent fields stay, `false` and null remove a value, a masked secret keeps the
 * stored one.
 *
 * @throws AppError `invalid` with `fields`
 */
export function planUpdate(body: OAuth2AppUpdate, stored: LockedApp): AppPlan {
  const { name = stored.name, enabled = stored.enabled, tenant, ...rest } = body
  const authority = rest.authority ?? tenant
  const input = splitSecrets({ ...rest, ...defined({ authority }) })
  const merged = Object.entries({ ...stored.config, ...input.config })
  const config = Object.fromEntries(
    merged.filter(([, value]) => value !== false && value !== null),
  ) as OAuth2AppConfig
  const secrets = Object.fromEntries(
    Object.entries(input.secrets).filter(([, secret]) => secret !== mask),
  )
  const plan = { name, enabled, config, secrets }
  const errors = [...unsupportedErrors(input.config), ...providerErrors(plan, stored)]
  assertComplete(stored.provider, { ...plan, storedSecrets: stored.secrets }, errors)
  return plan
}

type AppInput = Omit<OAuth2AppUpdate, 'name' | 'enabled' | 'tenant'> &
  Pick<OAuth2AppRegistration, 'baseScopes' | 'authMethod'>

function splitSecrets({ clientSecret, serviceKey, externalAccount, ...config }: AppInput) {
  return {
    config: config as OAuth2AppConfig,
    secrets: defined({ clientSecret, serviceKey, externalAccount }),
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

const googleFields = [
  'googleProjectId',
  'googleWorkspaceAccounts',
  'googleTopicName',
  'googleSubscriptionName',
  'pubSubApp',
] as const

/** Values that would have no effect, because their backend does not exist yet. */
function unsupportedErrors(input: OAuth2AppConfig): FieldError[] {
  const { baseScopes = 'imap' } = input
  return [
    ...(baseScopes === 'imap'
      ? []
      : [fieldError('baseScopes', `"${baseScopes}" is not possible yet; use "imap"`)]),
    ...googleFields
      .filter((name) => Boolean(input[name]))
      .map((name) => fieldError(name, 'is not possible yet: the Gmail API is not supported')),
  ]
}

/** A stored secret, which the client cannot read, must not be sent to another server. */
function providerErrors({ config, secrets }: AppPlan, stored: LockedApp): FieldError[] {
  const keepsSecret = stored.secrets.includes('clientSecret') && secrets.clientSecret === undefined
  const isMoved = (['issuer', 'tokenUrl', 'revokeUrl', 'cloud'] as const).some(
    (name) => config[name] !== stored.config[name],
  )
  return keepsSecret && isMoved
    ? [fieldError('clientSecret', 'is required for another provider')]
    : []
}

type CompletePlan = AppPlan & { storedSecrets?: readonly AppSecretKind[] }

function assertComplete(provider: OAuth2Provider, plan: CompletePlan, errors: FieldError[]): void {
  const { config, secrets, storedSecrets = [] } = plan
  const has = (name: string) =>
    Boolean(config[name as keyof OAuth2AppConfig]) ||
    secrets[name as AppSecretKind] !== undefined ||
    storedSecrets.includes(name as AppSecretKind)
  const missing = requiredFields[provider].filter((name) => !has(name))
  errors.push(
    ...missing.map((name) => fieldError(name, 'is required')),
    ...genericOnlyErrors(provider, config),
    ...(provider === 'generic' ? endpointErrors(config) : []),
    ...(provider === 'outlookService' ? tenantErrors(config) : []),
    // Workload Identity Federation is not supported by auth-bridge.
    ...(config.authMethod === 'externalAccount' || secrets.externalAccount !== undefined
      ? [fieldError('externalAccount', 'is not possible yet; use a service key')]
      : []),
  )
  if (errors.length > 0) throw validationError(errors)
}

const consentFields = ['clientId', 'clientSecret', 'redirectUrl'] as const
const requiredFields: Record<OAuth2Provider, readonly string[]> = {
  gmail: consentFields,
  gmailService: ['serviceClient', 'serviceClientEmail', 'serviceKey'],
  outlook: [...consentFields, 'authority'],
  outlookService: ['clientId', 'clientSecret', 'authority'],
  mailRu: consentFields,
  // RFC 6749 §2.1: a public client has no secret.
  generic: ['clientId', 'redirectUrl'],
}

const genericOnlyFields = [
  'issuer',
  'authorizeUrl',
  'tokenUrl',
  'userinfoUrl',
  'revokeUrl',
  'scopes',
  'imap',
  'smtp',
] as const

/** Endpoints of known providers are fixed, so that their secrets go nowhere else. */
function genericOnlyErrors(provider: OAuth2Provider, config: OAuth2AppConfig): FieldError[] {
  if (provider === 'generic') return []
  return genericOnlyFields
    .filter((name) => config[name] !== undefined)
    .map((name) => fieldError(name, 'is for generic providers only'))
}

function endpointErrors({ issuer, authorizeUrl, tokenUrl }: OAuth2AppConfig): FieldError[] {
  if (issuer !== undefined) return []
  return Object.entries({ authorizeUrl, tokenUrl })
    .filter(([, value]) => value === undefined)
    .map(([name]) => fieldError(name, 'is required without an issuer'))
}

/** A service application logs in to one tenant. */
function tenantErrors({ authority = '' }: OAuth2AppConfig): FieldError[] {
  return ['common', 'organizations', 'consumers'].includes(authority)
    ? [fieldError('authority', 'must be the id or the domain of a tenant')]
    : []
}
