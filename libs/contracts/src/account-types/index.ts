import {
  type AccountType,
  type ApiAccountType,
  noNotifications,
  type OAuth2ProviderTraits,
} from './account-type.ts'
import { gmail, gmailProviders } from './gmail.ts'
import { graph, graphProviders } from './graph.ts'
import { imap, imapProviders } from './imap.ts'

export type {
  AccountType,
  ApiAccountType,
  MailApiTraits,
  NotificationTraits,
  ProviderLimits,
  ProviderServer,
} from './account-type.ts'

const apiTypes = { gmail, graph }

/** Name of a mail system with a mail API. */
export type Provider = keyof typeof apiTypes

/** Properties of the mail systems with a mail API, by name. */
export const apiAccountTypes: Readonly<Record<Provider, ApiAccountType>> = apiTypes
export const providers = Object.keys(apiTypes) as Provider[]

const types = { imap, ...apiTypes }

/** Mail system of an account, as stored in the column `accounts.backend`. */
export type Backend = keyof typeof types

/**
 * Properties of the mail systems that accounts can have, by name. The only list of mail systems in
 * the code.
 */
export const accountTypes: Readonly<Record<Backend, AccountType>> = types

/**
 * Properties that are assumed for a mail system that only a newer release knows. Accounts of such a
 * mail system are not synchronised, and their messages wait.
 */
const unknownType: AccountType = {
  readsBy: 'api',
  sendsBy: 'api',
  filesSent: 'server',
  notifications: noNotifications,
  hasSignatures: false,
}

/**
 * Returns the properties of an account's mail system. During an upgrade, a newer release may
 * register accounts of a mail system that this release does not know. Such accounts are treated as
 * accounts with a mail API, without a client for the API.
 */
export function accountTypeOf({ backend }: { backend: Backend }): AccountType {
  return (accountTypes as Partial<Record<string, AccountType>>)[backend] ?? unknownType
}

/** Lists the names of the mail systems that have a property, for a condition in SQL. */
export function backendsThat(has: (type: AccountType) => boolean): Backend[] {
  return (Object.keys(types) as Backend[]).filter((backend) => has(accountTypes[backend]))
}

const oauth2Types = { ...gmailProviders, ...graphProviders, ...imapProviders }

/** Name of a kind of OAuth2 application. */
export type OAuth2Provider = keyof typeof oauth2Types

/**
 * Properties of the kinds of OAuth2 applications, by name. The only list of these kinds in the
 * code.
 */
export const oauth2ProviderTraits: Readonly<
  Record<OAuth2Provider, OAuth2ProviderTraits & { readonly api?: Provider }>
> = oauth2Types
export const oauth2Providers = Object.keys(oauth2Types) as OAuth2Provider[]

/** True if the mail API of a provider publishes notifications to a Pub/Sub topic. */
export function isNotifiedByPubSub(provider: OAuth2Provider): boolean {
  const { api } = oauth2ProviderTraits[provider]
  return api !== undefined && accountTypes[api].notifications.transport === 'pull'
}

/** Lists the kinds of OAuth2 applications that have a property. */
export function oauth2ProvidersThat(has: (traits: OAuth2ProviderTraits) => boolean) {
  return oauth2Providers.filter((provider) => has(oauth2ProviderTraits[provider]))
}
