import { isNotifiedByPubSub, oauth2ProviderTraits } from '@posthorn/contracts/account-types'
import type { OAuth2Provider } from '../../data/lists/oauth2-apps.ts'

/** Kind of form field with which a member of an OAuth2 application is edited. */
export type AppFieldKind = 'text' | 'url' | 'number' | 'scopes' | 'flag' | 'choice' | 'secret'

/** Member of an OAuth2 application that its form edits. */
export interface AppField {
  name: string
  label: string
  kind: AppFieldKind
  hint?: string
  isRequired?: boolean
  /** True for a secret of several lines, such as a private key. */
  isLong?: boolean
  /** True for a member that is set when the application is added, and not changed later. */
  isFixed?: boolean
  /**
   * True if the API removes the value of the OAuth2 application's member when the value is null.
   */
  isRemovable?: boolean
  options?: readonly string[]
}

/** Choices of the form on which the fields of an OAuth2 application depend. */
export interface AppKind {
  provider: OAuth2Provider
  baseScopes: string
}

/** True if owners of mailboxes sign in with an OAuth2 application of the kind. */
export function hasSignIns(provider: OAuth2Provider): boolean {
  return oauth2ProviderTraits[provider].login === 'consent'
}

/** Kinds of access to mail that OAuth2 applications of a provider can have. */
export function accessKinds(provider: OAuth2Provider): readonly string[] {
  const { api, hasPubSub } = oauth2ProviderTraits[provider]
  return ['imap', ...(api ? ['api'] : []), ...(hasPubSub === true ? ['pubsub'] : [])]
}

/** Fields of the form for an OAuth2 application, in their order. */
export function appFields(kind: AppKind): readonly AppField[] {
  const { provider } = kind
  const { requiredMembers, hasTenants, servers, login } = oauth2ProviderTraits[provider]
  const required: ReadonlySet<string> = new Set(requiredMembers)
  const fields: readonly AppField[] = [
    { name: 'name', label: 'Name', kind: 'text', isRequired: true },
    accessField(provider),
    ...(provider === 'gmailService' ? serviceAccountFields : clientFields(provider)),
    ...(hasTenants === true ? microsoftFields : []),
    ...googleFields(kind),
    ...(servers ? [] : genericFields),
    ...(login === 'consent' ? signInFields : []),
    { name: 'description', label: 'Description', kind: 'text' },
    { name: 'enabled', label: 'Accounts can use the application', kind: 'flag' },
  ]
  return fields.map((field) => ({
    ...field,
    // A stored secret of an OAuth2 application is kept if its field is empty, so that only the API
    // can require a secret.
    ...(required.has(field.name) && field.kind !== 'secret' && { isRequired: true }),
  }))
}

function accessField(provider: OAuth2Provider): AppField {
  return {
    name: 'baseScopes',
    label: 'Access to mail',
    kind: 'choice',
    options: accessKinds(provider),
    isFixed: true,
    hint: 'imap: mail servers. api: mail API of the provider. pubsub: notifications of Gmail.',
  }
}

function clientFields(provider: OAuth2Provider): readonly AppField[] {
  const hasPeople = hasSignIns(provider)
  return [
    { name: 'clientId', label: 'Client id', kind: 'text', isRemovable: true },
    {
      name: 'clientSecret',
      label: 'Client secret',
      kind: 'secret',
      ...(!hasPeople && { hint: 'Not needed with a private key.' }),
    },
    hasPeople
      ? { name: 'redirectUrl', label: 'Redirect URI', kind: 'url', isRemovable: true }
      : {
          name: 'serviceKey',
          label: 'Private key and certificate (PEM)',
          kind: 'secret',
          isLong: true,
        },
  ]
}

const serviceAccountFields: readonly AppField[] = [
  {
    name: 'serviceClient',
    label: 'Client id of the service account',
    kind: 'text',
    isRemovable: true,
  },
  { name: 'serviceClientEmail', label: 'Email address of the service account', kind: 'text' },
  { name: 'serviceKey', label: 'Private key (PEM)', kind: 'secret', isLong: true },
  {
    name: 'externalAccount',
    label: 'External account (JSON)',
    kind: 'secret',
    isLong: true,
    hint: 'Configuration of Workload Identity Federation, instead of a private key.',
  },
]

const microsoftFields: readonly AppField[] = [
  {
    name: 'authority',
    label: 'Authority',
    kind: 'text',
    hint: 'Tenant id. For sign-ins also: common, organizations or consumers.',
  },
  {
    name: 'cloud',
    label: 'Cloud',
    kind: 'choice',
    options: ['global', 'gcc-high', 'dod', 'china'],
  },
]

function googleFields({ provider, baseScopes }: AppKind): readonly AppField[] {
  if (!isNotifiedByPubSub(provider)) return []
  const project = {
    name: 'googleProjectId',
    label: 'Google Cloud project',
    kind: 'text',
    isRemovable: true,
  } as const
  if (baseScopes === 'pubsub')
    return [{ ...project, isRequired: true }, topic('Topic'), topic('Subscription')]
  if (baseScopes !== 'api') return []
  return [
    project,
    {
      name: 'pubSubApp',
      label: 'Application for Pub/Sub',
      kind: 'text',
      isRemovable: true,
      hint: 'Id of the application with the access pubsub. Without it, mailboxes are polled.',
    },
  ]
}

function topic(name: 'Topic' | 'Subscription'): AppField {
  return {
    name: `google${name}Name`,
    label: `${name} of Pub/Sub`,
    kind: 'text',
    isRemovable: true,
    hint: 'Empty: posthorn- and the id of the application.',
  }
}

const genericFields: readonly AppField[] = [
  {
    name: 'issuer',
    label: 'Issuer',
    kind: 'url',
    hint: 'Endpoints that are empty are discovered from the issuer.',
  },
  { name: 'authorizeUrl', label: 'Authorization endpoint', kind: 'url' },
  { name: 'tokenUrl', label: 'Token endpoint', kind: 'url' },
  { name: 'userinfoUrl', label: 'UserInfo endpoint', kind: 'url' },
  { name: 'revokeUrl', label: 'Revocation endpoint', kind: 'url' },
  { name: 'scopes', label: 'Scopes', kind: 'scopes' },
  ...serverFields('imap'),
  ...serverFields('smtp'),
]

function serverFields(name: 'imap' | 'smtp'): readonly AppField[] {
  const title = name.toUpperCase()
  return [
    { name: `${name}Host`, label: `${title} server`, kind: 'text' },
    { name: `${name}Port`, label: `${title} port`, kind: 'number' },
    { name: `${name}Secure`, label: `${title} uses TLS from the start`, kind: 'flag' },
  ]
}

const signInFields: readonly AppField[] = [
  { name: 'extraScopes', label: 'Further scopes', kind: 'scopes' },
  { name: 'skipScopes', label: 'Scopes to leave out', kind: 'scopes' },
  { name: 'includeInListing', label: 'Offered on the hosted form', kind: 'flag' },
  { name: 'title', label: 'Text of the button on the hosted form', kind: 'text' },
]
