import {
  isNotifiedByPubSub,
  oauth2ProvidersThat,
  oauth2ProviderTraits,
} from '@posthorn/contracts/account-types'
import { defined } from '@posthorn/contracts/defined'
import { type FieldError, fieldError } from '@posthorn/contracts/describe-error'
import { ExternalAccount } from '@posthorn/contracts/schemas/external-account'
import type {
  OAuth2AppConfig,
  OAuth2AppRegistration,
  OAuth2AppUpdate,
  OAuth2Provider,
} from '@posthorn/contracts/schemas/oauth2-app'
import { matches, validationError } from '@posthorn/contracts/validate'
import { acceptsAccounts } from '../../accounts/plan-oauth2.ts'
import { mask } from '../../http/masks.ts'
import type { AppSecretKind, LockedApp } from '../../store/oauth2/oauth2-apps.ts'

/** Planned values of an OAuth2 application, and new secrets to seal (encrypt). */
export interface AppPlan {
  name: string
  enabled: boolean
  config: OAuth2AppConfig
  /** New secrets of the OAuth2 application. Stored secrets that are absent here stay unchanged. */
  secrets: Partial<Record<AppSecretKind, string>>
}

/**
 * Plans the registration of an OAuth2 application.
 *
 * @throws AppError `invalid` with `fields`
 */
export function planRegistration(body: OAuth2AppRegistration): AppPlan {
  const { name, provider, enabled = true, ...rest } = body
  const { config, secrets } = splitSecrets(rest)
  const errors = Object.entries(secrets)
    .filter(([, secret]) => secret === mask)
    .map(([kind]) => fieldError(kind, 'is required'))
  errors.push(...unsupportedErrors(provider, config), ...googleErrors(provider, config, config))
  const plan = { name, enabled, config: withDefaults(provider, { config, secrets }), secrets }
  assertComplete(provider, plan, errors)
  return plan
}

/**
 * Plans an update of an OAuth2 application. Absent fields keep their values, `false` and null
 * remove a value, a masked secret keeps the stored secret.
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
  const errors = [
    ...unsupportedErrors(stored.provider, input.config),
    ...googleErrors(stored.provider, config, input.config),
    ...providerErrors(plan, stored),
  ]
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

function withDefaults(
  provider: OAuth2Provider,
  { config, secrets }: Pick<AppPlan, 'config' | 'secrets'>,
): OAuth2AppConfig {
  const isFederated = secrets.externalAccount !== undefined && secrets.serviceKey === undefined
  const authMethod = isFederated ? ('externalAccount' as const) : ('serviceKey' as const)
  const { hasTenants, keyAlternative } = oauth2ProviderTraits[provider]
  return {
    baseScopes: 'imap',
    ...(hasTenants && { cloud: 'global' as const }),
    ...(keyAlternative === 'externalAccount' && { authMethod }),
    ...config,
  }
}

/**
 * Returns a field error if the provider of an OAuth2 application does not support the base scopes
 * of the application.
 */
function unsupportedErrors(provider: OAuth2Provider, input: OAuth2AppConfig): FieldError[] {
  const { baseScopes = 'imap' } = input
  if (baseScopes === 'pubsub')
    return oauth2ProviderTraits[provider].hasPubSub
      ? []
      : [fieldError('baseScopes', `"pubsub" is for ${pubSubProviders} only`)]
  return acceptsAccounts({ provider, config: input })
    ? []
    : [fieldError('baseScopes', `"${baseScopes}" is for ${apiProviders}`)]
}

const names = new Intl.ListFormat('en-GB')
const pubSubProviders = names.format(oauth2ProvidersThat(({ hasPubSub }) => hasPubSub === true))
const federatedProviders = names.format(
  oauth2ProvidersThat(({ keyAlternative }) => keyAlternative === 'externalAccount'),
)
const apiProviders = names.format(oauth2ProvidersThat(({ api }) => api !== undefined))

const topicFields = ['googleProjectId', 'googleTopicName', 'googleSubscriptionName'] as const

/**
 * Field errors for Pub/Sub fields of an OAuth2 application that do not fit its base scopes. Only
 * fields of the request are checked; stored fields stay.
 */
function googleErrors(
  provider: OAuth2Provider,
  { baseScopes, googleProjectId }: OAuth2AppConfig,
  input: OAuth2AppConfig,
): FieldError[] {
  const isPubSub = baseScopes === 'pubsub' && oauth2ProviderTraits[provider].hasPubSub === true
  const isNotified = baseScopes === 'api' && isNotifiedByPubSub(provider)
  const misplaced = topicFields.filter(
    // Allows the field for the Google project in an application of the Gmail API, as information
    // for operators.
    (name) => Boolean(input[name]) && !isPubSub && !(isNotified && name === 'googleProjectId'),
  )
  return [
    ...misplaced.map((name) => fieldError(name, 'is for the base scope "pubsub" only')),
    ...(isPubSub && !googleProjectId ? [fieldError('googleProjectId', 'is required')] : []),
    ...(input.pubSubApp && !isNotified
      ? [fieldError('pubSubApp', 'is for the Gmail API only (base scope "api")')]
      : []),
    ...(input.googleWorkspaceAccounts
      ? [fieldError('googleWorkspaceAccounts', 'is not possible yet')]
      : []),
  ]
}

/**
 * Returns a field error if an update moves an OAuth2 application to other endpoints and keeps the
 * stored client secret. The client cannot read the secret and must not have it sent to another
 * server.
 */
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
  const { requiredMembers, login, hasTenants, servers } = oauth2ProviderTraits[provider]
  const missing = requiredMembers.filter((name) => !has(name))
  errors.push(
    ...missing.map((name) => fieldError(name, 'is required')),
    ...genericOnlyErrors(provider, config),
    ...(servers ? [] : endpointErrors(config)),
    ...(hasTenants && login === 'service' ? tenantErrors(config) : []),
    ...(has('serviceKey') ? [] : missingKeyErrors(provider, config, has('clientSecret'))),
    ...federationErrors(provider, plan, has('externalAccount')),
  )
  if (errors.length > 0) throw validationError(errors)
}

/**
 * Returns a field error if an OAuth2 application for a service account has no key. An alternative
 * replaces the key at some providers: a client secret, or Workload Identity Federation.
 */
function missingKeyErrors(
  provider: OAuth2Provider,
  { authMethod }: OAuth2AppConfig,
  hasClientSecret: boolean,
): FieldError[] {
  const { keyAlternative } = oauth2ProviderTraits[provider]
  if (keyAlternative === 'externalAccount' && authMethod !== 'externalAccount')
    return [fieldError('serviceKey', 'is required')]
  return keyAlternative === 'clientSecret' && !hasClientSecret
    ? [fieldError('clientSecret', 'is required without a serviceKey')]
    : []
}

/**
 * Field errors for Workload Identity Federation, which replaces the key of a Google service account
 * in an OAuth2 application.
 */
function federationErrors(
  provider: OAuth2Provider,
  { config, secrets: { externalAccount } }: CompletePlan,
  isStored: boolean,
): FieldError[] {
  const { keyAlternative } = oauth2ProviderTraits[provider]
  const isUsed = keyAlternative === 'externalAccount' && config.authMethod === 'externalAccount'
  if (!isUsed)
    return externalAccount === undefined && config.authMethod !== 'externalAccount'
      ? []
      : [fieldError('externalAccount', `is for ${federatedProviders} without a serviceKey only`)]
  if (externalAccount === undefined)
    return isStored ? [] : [fieldError('externalAccount', 'is required')]
  return isExternalAccount(externalAccount)
    ? []
    : [fieldError('externalAccount', 'must be JSON of an external account with a file or URL')]
}

function isExternalAccount(text: string): boolean {
  try {
    return matches(ExternalAccount, JSON.parse(text))
  } catch {
    return false
  }
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

/**
 * Field errors for endpoints in an OAuth2 application of a known provider. The endpoints of known
 * providers are fixed, so that secrets go nowhere else.
 */
function genericOnlyErrors(provider: OAuth2Provider, config: OAuth2AppConfig): FieldError[] {
  if (!oauth2ProviderTraits[provider].servers) return []
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

/**
 * Returns a field error if the authority of an OAuth2 application for a service does not name a
 * single tenant.
 */
function tenantErrors({ authority = '' }: OAuth2AppConfig): FieldError[] {
  return ['common', 'organizations', 'consumers'].includes(authority)
    ? [fieldError('authority', 'must be the id or the domain of a tenant')]
    : []
}
