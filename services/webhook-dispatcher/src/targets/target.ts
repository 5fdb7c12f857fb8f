import type { Settings } from '@posthorn/contracts'
import type { HeaderOwner } from '@posthorn/secrets'
import type { AccountTarget, Header } from '../store/target-sources.ts'

/** Stored headers and their owner. Sealed values can be unsealed only for their owner. */
export interface OwnedHeaders {
  owner: HeaderOwner
  headers: readonly Header[]
}

/** Receiver of an event: the default target, the target of its account, or a route. */
export interface Target {
  /** `default`, `account`, or the id of a route. */
  name: string
  url: string
  /** A later header replaces an earlier one of the same name. */
  headers: readonly OwnedHeaders[]
}

/** Fields of an event that select its targets. */
export interface TargetedEvent {
  event: string
  account: string
  path: string | null
  specialUse: string | null
  /** `data.messageSpecialUse`: an Inbox message in another mailbox, such as Gmail's All Mail. */
  messageSpecialUse?: string | undefined
  /** Target of the account, recorded with `accountDeleted`: the account itself is deleted. */
  accountTarget: { url: string; headers: readonly Header[] } | null
}

/** True if the settings `webhookEvents` and `inboxNewOnly` select the event ("Delivery" 2). */
export function isWanted(event: TargetedEvent, settings: Settings): boolean {
  const selected = settings.webhookEvents ?? []
  if (!selected.includes('*') && !selected.includes(event.event)) return false
  return event.event !== 'messageNew' || settings.inboxNewOnly !== true || isInInbox(event)
}

function isInInbox({ path, specialUse, messageSpecialUse }: TargetedEvent): boolean {
  return (
    specialUse === '\\Inbox' || messageSpecialUse === '\\Inbox' || path?.toUpperCase() === 'INBOX'
  )
}

type AccountEvent = Pick<TargetedEvent, 'event' | 'account' | 'accountTarget'>

/**
 * Default target or account target of an event, if there is one. `account` is undefined for a
 * deleted account, whose last event is `accountDeleted`.
 *
 * The default target gets the headers of the settings and of the account, of which the latter win.
 * The account's target gets the account's only: the others may be credentials of another receiver.
 */
export function targetOf(
  event: AccountEvent,
  account: AccountTarget | undefined,
  settings: Settings,
): Target | undefined {
  const own = ownTarget(event, account)
  if (settings.webhooksEnabled !== true || !own) return undefined
  const headers = ownedBy(`account/${event.account}`, own.headers)
  if (isHttp(own.url)) return { name: 'account', url: own.url, headers }
  const { webhooks: url = '', webhooksCustomHeaders } = settings
  if (!isHttp(url)) return undefined
  return {
    name: 'default',
    url,
    headers: [...ownedBy('settings', webhooksCustomHeaders), ...headers],
  }
}

export interface RouteContext {
  route: { id: string; url: string; headers: readonly Header[] }
  account: AccountTarget | undefined
  settings: Settings
}

/**
 * Target of a route for an event, if there is one. `webhookEvents` and `inboxNewOnly` do not apply.
 * The headers of the account are added and win.
 */
export function routeTargetOf(
  event: AccountEvent,
  { route, account, settings }: RouteContext,
): Target | undefined {
  const own = ownTarget(event, account)
  if (settings.webhooksEnabled !== true || !isHttp(route.url) || !own) return undefined
  const headers = [
    ...ownedBy(`route/${route.id}`, route.headers),
    ...ownedBy(`account/${event.account}`, own.headers),
  ]
  return { name: route.id, url: route.url, headers }
}

/** The account's own target, whose URL may be empty. Undefined if the account was deleted. */
function ownTarget(
  { event, accountTarget }: AccountEvent,
  account: AccountTarget | undefined,
): { url: string; headers: readonly Header[] } | undefined {
  if (event === 'accountDeleted') return accountTarget ?? { url: '', headers: [] }
  return account && { url: account.webhooks ?? '', headers: account.webhooksCustomHeaders ?? [] }
}

function ownedBy(owner: HeaderOwner, headers: readonly Header[] = []): OwnedHeaders[] {
  return headers.length === 0 ? [] : [{ owner, headers }]
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)
}

/** Lane of a target: its address without credentials and query, either of which may be secret. */
export function laneOf({ url }: Pick<Target, 'url'>): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`.slice(0, 1_000)
}
