import {
  apiAccountTypes,
  type Provider,
  type ProviderLimits,
} from '@posthorn/contracts/account-types'

export { type Provider, type ProviderLimits, providers } from '@posthorn/contracts/account-types'

export type ProviderLimitTable = Readonly<Record<Provider, ProviderLimits>>

/** Record with one value for each mail provider. */
export function forProviders<T>(valueOf: (provider: Provider) => T): Record<Provider, T> {
  const entries = Object.keys(apiAccountTypes).map((name) => [name, valueOf(name as Provider)])
  return Object.fromEntries(entries) as Record<Provider, T>
}

/** Request limits that the mail providers have published. */
export const defaultProviderLimits: ProviderLimitTable = forProviders(
  (provider) => apiAccountTypes[provider].limits,
)
