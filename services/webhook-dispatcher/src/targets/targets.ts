import type { Settings } from '@posthorn/contracts/settings/settings'
import type { Db, SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { Batcher, TtlCache } from '@posthorn/flow'
import type { HeaderOwner } from '@posthorn/secrets'
import type { UnsealHeader, UnsealLogin } from '@posthorn/unseal'
import type { RouteCache } from '../routes/route-cache.ts'
import { isRoute } from '../store/deliveries.ts'
import type { PendingEvent } from '../store/events.ts'
import { type AccountTarget, type Header, listAccountTargets } from '../store/target-sources.ts'

/**
 * Custom headers of a webhook target as stored, and the owner of the headers. Sealed (encrypted)
 * values can be unsealed only for this owner.
 */
export interface OwnedHeaders {
  owner: HeaderOwner
  headers: readonly Header[]
}

/** Webhook target of an event: the default target, the target of its account, or a route. */
export interface Target {
  /** Name of the webhook target: `default`, `account`, or the id of a route. */
  name: string
  url: string
  /**
   * Custom headers of calls to the webhook target. A later header replaces an earlier header of the
   * same name.
   */
  headers: readonly OwnedHeaders[]
}

/** Fields of an event that select the webhook targets of the event. */
export type TargetedEvent = Pick<
  PendingEvent,
  'event' | 'eventRow' | 'account' | 'path' | 'specialUse' | 'accountTarget'
> & {
  /**
   * Member `data.messageSpecialUse` of the event, which marks an Inbox message in another mailbox,
   * such as Gmail's All Mail.
   */
  messageSpecialUse?: string | undefined
}

/**
 * True if the setting `webhookEvents` selects the event. The setting does not apply to webhook
 * routes ("Delivery" 2).
 */
export function isWanted({ event }: Pick<TargetedEvent, 'event'>, settings: Settings): boolean {
  const selected = settings.webhookEvents ?? []
  return selected.includes('*') || selected.includes(event)
}

/**
 * False for a `messageNew` event that the setting `inboxNewOnly` withholds from all webhook
 * targets.
 */
export function isEmitted(event: TargetedEvent, { inboxNewOnly }: Settings): boolean {
  return event.event !== 'messageNew' || inboxNewOnly !== true || isInInbox(event)
}

function isInInbox({ path, specialUse, messageSpecialUse }: TargetedEvent): boolean {
  return (
    specialUse === '\\Inbox' || messageSpecialUse === '\\Inbox' || path?.toUpperCase() === 'INBOX'
  )
}

type AccountEvent = Pick<TargetedEvent, 'event' | 'eventRow' | 'account' | 'accountTarget'>

/**
 * Default target or account target of an event. Undefined if the event has no such target. Events
 * that were recorded before their account was deleted keep the target of the account; the last such
 * event is `accountDeleted`.
 *
 * The default target gets the headers of the settings and of the account; headers of the account
 * take precedence. The account target gets only the headers of the account: headers of the settings
 * may be credentials of another receiver. Headers that a tenant has set go only to a target that a
 * tenant has set. At other targets such headers could replace an operator's `Authorization`,
 * `Cookie` or `X-Forwarded-For`. Headers of an operator may be credentials, and go to no target of
 * a tenant.
 */
export function targetOf(
  event: AccountEvent,
  account: AccountTarget | undefined,
  settings: Settings,
): Target | undefined {
  const own = ownTarget(event, account)
  if (settings.webhooksEnabled !== true || !own) return undefined
  const headers = ownedBy(`account/${event.account}`, own.headers)
  const isOfOneOrigin = Boolean(own.isTenants) === Boolean(own.isTenantsUrl)
  if (isHttp(own.url))
    return { name: 'account', url: own.url, headers: isOfOneOrigin ? headers : [] }
  const { webhooks: url = '', webhooksCustomHeaders } = settings
  if (!isHttp(url)) return undefined
  return {
    name: 'default',
    url,
    headers: [...ownedBy('settings', webhooksCustomHeaders), ...(own.isTenants ? [] : headers)],
  }
}

export interface RouteContext {
  route: { id: string; url: string; headers: readonly Header[] }
  account: AccountTarget | undefined
  settings: Settings
}

/**
 * Webhook target of a route for an event. Undefined if the route has no target. The setting
 * `webhookEvents` does not apply. The headers of the account are added and take precedence, unless
 * a tenant has set the headers of the account.
 */
export function routeTargetOf(
  event: AccountEvent,
  { route, account, settings }: RouteContext,
): Target | undefined {
  const own = ownTarget(event, account)
  if (settings.webhooksEnabled !== true || !isHttp(route.url) || !own) return undefined
  const headers = [
    ...ownedBy(`route/${route.id}`, route.headers),
    ...(own.isTenants ? [] : ownedBy(`account/${event.account}`, own.headers)),
  ]
  return { name: route.id, url: route.url, headers }
}

/**
 * The account's own webhook target, whose URL may be empty. Undefined if the account was deleted
 * before the event.
 */
function ownTarget(
  { event, eventRow, accountTarget }: AccountEvent,
  account: AccountTarget | undefined,
): OwnTarget | undefined {
  if (event === 'accountDeleted') return accountTarget ?? { url: '', headers: [] }
  if (!account) return undefined
  const { webhooks, webhooksCustomHeaders, tenantSet, deletedBy } = account
  if (deletedBy !== undefined && BigInt(eventRow) > BigInt(deletedBy)) return undefined
  return {
    url: webhooks ?? '',
    headers: webhooksCustomHeaders ?? [],
    isTenants: tenantSet.includes('webhooksCustomHeaders'),
    isTenantsUrl: tenantSet.includes('webhooks'),
  }
}

interface OwnTarget {
  url: string
  headers: readonly Header[]
  /** True if a tenant has set the custom headers of the account. */
  isTenants?: boolean
  /** True if a tenant has set the URL of the account's webhook target. */
  isTenantsUrl?: boolean
}

function ownedBy(owner: HeaderOwner, headers: readonly Header[] = []): OwnedHeaders[] {
  return headers.length === 0 ? [] : [{ owner, headers }]
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)
}

/** Webhook target with the login of its URL and the header values in plaintext. */
export interface UnsealedTarget {
  name: string
  url: string
  headers: readonly Header[]
  /** Reason why no key decrypts a value of the webhook target. No request is then sent. */
  unsealError?: string
}

type Delivery = AccountEvent & { target: string }

export type Targets = ReturnType<typeof createTargets>

export interface TargetsDeps {
  db: Db
  settings: SettingsCache
  routes: RouteCache
  unsealLogin: UnsealLogin
  unsealHeader: UnsealHeader
}

/**
 * Lifetime of cached webhook targets of accounts. Changes of accounts are broadcast; the lifetime
 * bounds the effect of a lost broadcast.
 */
const ttlMs = 2_000
const maxCached = 10_000

/**
 * Resolves webhook targets at the time of a delivery attempt. Before a target counts as missing,
 * the account and the settings are read without the cache.
 */
export function createTargets(deps: TargetsDeps) {
  const { db, settings, routes } = deps
  const cache = new TtlCache<string, AccountTarget | undefined>({ max: maxCached, ttlMs })
  const reads = new Batcher<string, AccountTarget | undefined>({
    maxItems: 500,
    async run(names) {
      const accounts = await listAccountTargets(db, [...new Set(names)])
      return names.map((name) => accounts.get(name))
    },
  })

  async function findTarget(delivery: Delivery): Promise<Target | undefined> {
    const route = isRoute(delivery.target) ? await routes.find(delivery.target) : undefined
    if (isRoute(delivery.target) && !route) return undefined
    const name = delivery.account
    const account =
      (await cache.load(name, () => reads.add(name), { storeIf: Boolean })) ??
      unknownAccount(delivery)
    const current = await settings.get()
    return route
      ? routeTargetOf(delivery, { route, account, settings: current })
      : targetOf(delivery, account, current)
  }

  return {
    /**
     * Current webhook target of a delivery; undefined if the target no longer exists.
     * @throws AppError `unavailable` or `timeout` if auth-bridge does not respond
     */
    async resolve(delivery: Delivery): Promise<UnsealedTarget | undefined> {
      let target = await findTarget(delivery)
      if (!target) {
        cache.delete(delivery.account)
        settings.invalidate()
        target = await findTarget(delivery)
      }
      return target && unsealTarget(target, deps)
    },
    /** Drops the cached webhook target of an account, or of all accounts. */
    invalidate(account?: string): void {
      if (account === undefined) cache.clear()
      else cache.delete(account)
    },
  }
}

/**
 * Substitute for the account of a webhook delivery, if the account is missing without a record of
 * its deletion. Undefined for a delivery to the account's own target, because only that target is
 * unknown.
 */
function unknownAccount({ target }: Delivery): AccountTarget | undefined {
  return target === 'account'
    ? undefined
    : { webhooks: null, webhooksCustomHeaders: null, tenantSet: [] }
}

/** Unseals the login in the URL of a webhook target and the values of its headers. */
export async function unsealTarget(
  { name, url, headers }: Target,
  { unsealLogin, unsealHeader }: Pick<TargetsDeps, 'unsealLogin' | 'unsealHeader'>,
): Promise<UnsealedTarget> {
  const failed = (unsealError: string) => ({ name, url, headers: [], unsealError })
  const unsealedUrl = await undefinedIfNoKey(unsealLogin(url))
  if (unsealedUrl === undefined) return failed('The login in the address cannot be unsealed')
  const unsealed = await undefinedIfNoKey(unsealHeaders(headers, unsealHeader))
  if (unsealed === undefined) return failed('The value of a custom header cannot be unsealed')
  return { name, url: unsealedUrl, headers: unsealed }
}

function unsealHeaders(
  owned: readonly OwnedHeaders[],
  unsealHeader: UnsealHeader,
): Promise<Header[]> {
  return Promise.all(
    owned.flatMap(({ owner, headers }) =>
      headers.map(async ({ key, value = '' }) => ({
        key,
        value: await unsealHeader({ owner, key, value }),
      })),
    ),
  )
}

/**
 * Plaintext of a sealed (encrypted) value of a webhook target. Undefined if no key unseals the
 * value; a retry would have the same result.
 */
async function undefinedIfNoKey<T>(unsealed: Promise<T>): Promise<T | undefined> {
  try {
    return await unsealed
  } catch (error) {
    if (error instanceof AppError && error.kind === 'internal') return undefined
    throw error
  }
}
