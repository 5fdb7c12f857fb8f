import { InputError } from '../../data/load-state.ts'
import type { OperatorTokenBody, TokenBody, TokenPermissions } from '../../data/tokens.ts'
import {
  alsoPermitted,
  cellsOfChoice,
  type ChosenRights,
  recordOf,
  type RightsCell,
} from './token-grid.ts'

/** Interface at which an access token is valid: the API or a mail proxy. */
export type TokenScope = 'api' | 'smtp' | 'imap-proxy'

/** Uses of a new token: interfaces at which the token is valid, separated by commas. */
export const tokenUses = [
  { value: 'api', label: 'API' },
  { value: 'smtp', label: 'SMTP proxy' },
  { value: 'imap-proxy', label: 'IMAP proxy' },
  { value: 'smtp,imap-proxy', label: 'SMTP and IMAP proxy' },
  { value: 'api,smtp,imap-proxy', label: 'API, SMTP and IMAP proxy' },
] as const satisfies readonly { value: string; label: string }[]

/** Use of a new access token: the interfaces at which the token is valid. */
export type TokenUse = (typeof tokenUses)[number]['value']

/** Interfaces at which an access token of a use is valid. */
export function scopesOf(use: TokenUse): TokenScope[] {
  return use.split(',') as TokenScope[]
}

/**
 * Request that creates an access token for scripts of operators, from the values of the form. Empty
 * values are left out.
 */
export function operatorTokenBody(values: Readonly<Record<string, string>>): OperatorTokenBody {
  const { description = '', addresses = '' } = values
  const ranges = splitList(addresses)
  return {
    description,
    ...(ranges.length > 0 && { restrictions: { addresses: ranges } }),
    ...expiryOf(values),
  }
}

/**
 * Request that creates an access token, from the values of the form. Empty values are left out. A
 * null record permits everything.
 *
 * @throws InputError for an incomplete rate limit
 */
export function tokenBody(
  values: Readonly<Record<string, string>>,
  { use, permissions }: { use: TokenUse; permissions: TokenPermissions | null },
): TokenBody {
  const { description, account } = values
  const restrictions = restrictionsOf(values)
  return {
    scopes: scopesOf(use),
    ...(description && { description }),
    ...(account && { account }),
    ...(permissions && { permissions }),
    ...(restrictions && { restrictions }),
    ...expiryOf(values),
  }
}

/**
 * Permissions record of a token for a use, with the rights that a person has chosen. Tokens for the
 * mail proxies only have no record.
 *
 * @throws InputError if no right is chosen, or if the token would also permit other rights
 */
export function permissionsOf(
  { use, chosen }: { use: TokenUse; chosen: ChosenRights },
  cells: readonly RightsCell[],
): TokenPermissions | null {
  if (!scopesOf(use).includes('api')) return null
  if (cellsOfChoice(chosen, cells).size === 0)
    throw new InputError('Choose at least one right of the token.')
  if (alsoPermitted(chosen, cells).length > 0)
    throw new InputError(
      'The token would also permit rights that are not chosen. Choose them too, or choose fewer rights.',
    )
  return recordOf(chosen, cells)
}

type Restrictions = NonNullable<TokenBody['restrictions']>

function restrictionsOf(values: Readonly<Record<string, string>>): Restrictions | undefined {
  const { addresses = '', referrers = '' } = values
  const [ranges, patterns] = [splitList(addresses), splitLines(referrers)]
  const rateLimit = rateLimitOf(values)
  const restrictions = {
    ...(ranges.length > 0 && { addresses: ranges }),
    ...(patterns.length > 0 && { referrers: patterns }),
    ...(rateLimit && { rateLimit }),
  }
  return Object.keys(restrictions).length === 0 ? undefined : restrictions
}

function rateLimitOf({
  maxRequests = '',
  timeWindow = '',
}: Readonly<Record<string, string>>): Restrictions['rateLimit'] {
  if (maxRequests === '' && timeWindow === '') return undefined
  if (maxRequests === '' || timeWindow === '')
    throw new InputError('A rate limit needs a number of requests and a time window.')
  return { maxRequests: Number(maxRequests), timeWindow: Number(timeWindow) }
}

function splitList(text: string): string[] {
  return text.split(/[\s,]+/).filter((item) => item !== '')
}

function splitLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function expiryOf({ expires }: Readonly<Record<string, string>>): { expires?: string } {
  return expires ? { expires: new Date(expires).toISOString() } : {}
}
