import type { Settings } from '@posthorn/contracts'
import type { HeaderOwner } from '@posthorn/secrets'

export interface Header {
  key: string
  value?: string
}

/** Headers as they are stored, and whose they are: for nobody else do sealed values open. */
export interface OwnedHeaders {
  owner: HeaderOwner
  headers: readonly Header[]
}

/** Where an event goes: the default target of the settings, the one that the account has instead, or a route. */
export interface Target {
  /** Of a route: its id. */
  name: string
  url: string
  /** Of those with one name the last counts. */
  headers: readonly OwnedHeaders[]
}

/** What an account says about its webhooks. */
export interface AccountTarget {
  webhooks: string | null
  webhooksCustomHeaders: readonly Header[] | null
}

/** As much of an event as decides about its target. */
export interface TargetedEvent {
  event: string
  account: string
  path: string | null
  specialUse: string | null
  /** `data.messageSpecialUse`: a message of the Inbox that was found in another folder, such as Gmail's All Mail. */
  messageSpecialUse?: string | undefined
  /** Of an accountDeleted: what the account had said, for the account is gone. */
  accountTarget: { url: string; headers: readonly Header[] } | null
}

/** Whether the settings ask for the event. Interface spec, "Delivery" 2 and the settings `webhookEvents` and `inboxNewOnly`. */
export function isWanted(event: TargetedEvent, settings: Settings): boolean {
  const listed = settings.webhookEvents ?? []
  if (!listed.includes('*') && !listed.includes(event.event)) return false
  return event.event !== 'messageNew' || settings.inboxNewOnly !== true || isOfInbox(event)
}

function isOfInbox({ path, specialUse, messageSpecialUse }: TargetedEvent): boolean {
  return (
    specialUse === '\\Inbox' || messageSpecialUse === '\\Inbox' || path?.toUpperCase() === 'INBOX'
  )
}

/**
 * Where the event goes now; undefined: nowhere. `account` is undefined for an account that is gone, whose last word is accountDeleted.
 *
 * The default target gets its own headers and the account's, of which the latter win; an account's target gets the account's alone,
 * for the others may be credentials meant for somebody else.
 */
export function targetOf(
  event: Pick<TargetedEvent, 'event' | 'account' | 'accountTarget'>,
  account: AccountTarget | undefined,
  settings: Settings,
): Target | undefined {
  if (settings.webhooksEnabled !== true) return undefined
  const isDeletion = event.event === 'accountDeleted'
  if (!account && !isDeletion) return undefined
  const own = isDeletion ? event.accountTarget : ownTarget(account)
  const headers = headersOf(`account/${event.account}`, own?.headers)
  if (own && isHttp(own.url)) return { name: 'account', url: own.url, headers }
  const { webhooks: url = '', webhooksCustomHeaders } = settings
  return isHttp(url)
    ? {
        name: 'default',
        url,
        headers: [...headersOf('settings', webhooksCustomHeaders), ...headers],
      }
    : undefined
}

function headersOf(owner: HeaderOwner, headers: readonly Header[] = []): OwnedHeaders[] {
  return headers.length === 0 ? [] : [{ owner, headers }]
}

/** Whether a name is that of a route; the others are ours. */
export function isRoute(name: string): boolean {
  return name !== 'default' && name !== 'account'
}

/**
 * Where a route takes the event now; undefined: nowhere. Routes take no notice of `webhookEvents` and `inboxNewOnly`. The account's
 * headers go along and win.
 */
export function routeTargetOf(
  event: Pick<TargetedEvent, 'event' | 'account' | 'accountTarget'>,
  { route, account, settings }: Routing,
): Target | undefined {
  if (settings.webhooksEnabled !== true || !isHttp(route.url)) return undefined
  const isDeletion = event.event === 'accountDeleted'
  if (!account && !isDeletion) return undefined
  const own = isDeletion ? event.accountTarget : ownTarget(account)
  const headers = [
    ...headersOf(`route/${route.id}`, route.headers),
    ...headersOf(`account/${event.account}`, own?.headers),
  ]
  return { name: route.id, url: route.url, headers }
}

export interface Routing {
  route: { id: string; url: string; headers: readonly Header[] }
  account: AccountTarget | undefined
  settings: Settings
}

function ownTarget(account: AccountTarget | undefined): {
  url: string
  headers: readonly Header[]
} {
  return { url: account?.webhooks ?? '', headers: account?.webhooksCustomHeaders ?? [] }
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)
}

/** What calls share a cap: the address without credentials and query, either of which may be secret. */
export function laneOf({ url }: Pick<Target, 'url'>): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`.slice(0, 1_000)
}
