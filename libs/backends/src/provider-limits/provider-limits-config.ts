import { ConfigError, type Env, json } from '@posthorn/config'
import { apiAccountTypes } from '@posthorn/contracts/account-types'
import {
  defaultProviderLimits,
  forProviders,
  type Provider,
  type ProviderLimits,
  type ProviderLimitTable,
  providers,
} from './provider-limits.ts'

const name = 'SVC_PROVIDER_LIMITS'

/**
 * Permitted ranges of the configurable limits on requests to mail providers. The time windows of
 * the limits are fixed by the providers.
 */
const ranges: Readonly<Record<string, readonly [min: number, max: number]>> = {
  accountUnits: [1_000, 1e9],
  applicationUnits: [1_000, 1e12],
  // With the lower bound of `uploadBytes`, the smallest share of a process still allows a burst of
  // two slices of an upload.
  uploadBytes: [50_000_000, 1e12],
  workerConcurrency: [1, 100],
  senderConcurrency: [1, 100],
  senderPercent: [1, 99],
  reservePercent: [1, 9],
  defaultCost: [1, 10_000],
}

/**
 * Reads the limits on requests to mail providers. The JSON of `SVC_PROVIDER_LIMITS` overrides the
 * published limits, such as
 * `{"gmail":{"quota":"before2026","costs":{"messages.get":5}},"graph":{"workerConcurrency":2}}`.
 *
 * @throws ConfigError for unknown members and values out of range
 */
export function readProviderLimits(env: Env): ProviderLimitTable {
  const input = json(env, name) ?? {}
  const unknown = Object.keys(input).find((key) => !(providers as readonly string[]).includes(key))
  if (unknown !== undefined) throw fault(`unknown provider "${unknown}"`)
  return forProviders((provider) => readLimits(provider, input[provider]))
}

function readLimits(provider: Provider, input: unknown = {}): ProviderLimits {
  const { quota, costs, ...numbers } = objectOf(input, provider)
  const defaults = { ...defaultProviderLimits[provider], ...readQuota(provider, quota) }
  for (const [key, value] of Object.entries(numbers)) {
    const range = ranges[key]
    if (!range) throw fault(`unknown member "${provider}.${key}"`)
    assertInteger(value, `${provider}.${key}`, range)
  }
  const ownCosts = Object.entries(objectOf(costs ?? {}, `${provider}.costs`))
  for (const [operation, cost] of ownCosts)
    assertInteger(cost, `${provider}.costs.${operation}`, [0, 10_000])
  return {
    ...defaults,
    ...(numbers as Partial<ProviderLimits>),
    costs: { ...defaults.costs, ...(Object.fromEntries(ownCosts) as Record<string, number>) },
  }
}

/**
 * Alternative table of a mail provider's quota costs. Gmail has different tables by the age of the
 * project.
 */
function readQuota(provider: Provider, quota: unknown): Partial<ProviderLimits> {
  if (quota === undefined) return {}
  const { quotas } = apiAccountTypes[provider]
  const table = Object.entries(quotas).find(([key]) => key === quota)
  if (!table) throw fault(`${provider}.quota must be one of ${Object.keys(quotas).join(', ')}`)
  return table[1]
}

function objectOf(value: unknown, path: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw fault(`${path} must be an object`)
}

function assertInteger(
  value: unknown,
  path: string,
  [min, max]: readonly [min: number, max: number],
): void {
  if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return
  throw fault(`${path} must be a whole number between ${min} and ${max}`)
}

function fault(reason: string): ConfigError {
  return new ConfigError(name, reason)
}
