import { isMailApiError, MailApiError } from '../mail-api/errors.ts'
import type { ApiWatch, MailApiWatches } from '../mail-api/watches.ts'
import type { GraphSubscription } from '../provider-types/graph.ts'
import { type GraphClient, linkQuery } from './graph-client.ts'
import { entriesOf } from './list-entries.ts'
import { dateOf, isId } from './message-fields.ts'

/** URLs of this installation that receive notifications of Microsoft Graph. */
export interface GraphNotificationUrls {
  changes: string
  /** URL that receives lifecycle events of the Graph subscription itself. */
  lifecycle: string
}

/**
 * Lifetime of a Graph subscription: three days. Graph documents 7 days, but refuses more than
 * 10,070 minutes.
 */
const lifetimeMs = 3 * 24 * 60 * 60_000
const maxListed = 1_000

/** Watches of a Graph mailbox: its subscriptions to change notifications about all messages. */
export function graphWatches(
  client: GraphClient,
  options: { findUrls: () => Promise<GraphNotificationUrls | undefined>; now: () => number },
): MailApiWatches {
  const { findUrls, now } = options
  const expiration = (ms = lifetimeMs) => new Date(now() + ms).toISOString()
  return {
    async watch(secret, signal) {
      const urls = await findUrls()
      if (!urls)
        throw new MailApiError('watch-refused', 'No address for notifications is configured')
      try {
        return await subscribe(client, bodyOf({ urls, secret }, expiration()), signal)
      } catch (error) {
        const minutes = permittedMinutes(error)
        if (minutes === undefined) throw refused(error)
        const body = bodyOf({ urls, secret }, expiration(minutes * 60_000))
        return subscribe(client, body, signal).catch((again: unknown) =>
          Promise.reject(refused(again)),
        )
      }
    },
    async renewWatch(id, signal) {
      const json = { expirationDateTime: expiration() }
      const request = {
        method: 'PATCH' as const,
        path: idPath(id),
        json,
        repeatable: true,
        signal,
      }
      try {
        const renewed = (await client.subscription<GraphSubscription>(request)).json
        return toWatch({ ...json, ...renewed, id })
      } catch (error) {
        throw isGone(error)
          ? new MailApiError('watch-missing', error.message, { cause: error })
          : error
      }
    },
    async stopWatch(id, signal) {
      const request = { method: 'DELETE' as const, path: idPath(id), repeatable: true, signal }
      await client.subscription(request).catch((error: unknown) => {
        if (!isMailApiError(error, 'watch-missing')) throw error
      })
    },
    // Reads the list of Graph subscriptions, because reading one subscription fails for some
    // tenants.
    async listWatches(signal) {
      const urls = await findUrls()
      return urls ? (await listAll(client, signal)).filter(isOurs(urls)).map(toWatch) : []
    },
  }
}

function bodyOf(
  { urls, secret }: { urls: GraphNotificationUrls; secret: string },
  expiration: string,
) {
  return {
    changeType: 'created,updated,deleted',
    notificationUrl: urls.changes,
    lifecycleNotificationUrl: urls.lifecycle,
    expirationDateTime: expiration,
    clientState: secret,
    latestSupportedTlsVersion: 'v1_2',
  }
}

async function subscribe(
  client: GraphClient,
  body: object,
  signal: AbortSignal,
): Promise<ApiWatch> {
  const resource = `${await client.root(signal)}/messages`
  const json = { ...body, resource }
  const created = await client.subscription<GraphSubscription>({
    method: 'POST',
    path: '',
    json,
    signal,
  })
  return toWatch({ ...json, ...created.json })
}

async function listAll(client: GraphClient, signal: AbortSignal): Promise<GraphSubscription[]> {
  const listed: GraphSubscription[] = []
  let query = ''
  for (;;) {
    const page = await client.subscription<{
      value?: GraphSubscription[]
      '@odata.nextLink'?: string
    }>({ path: '', query, signal })
    listed.push(...entriesOf(page.json ?? {}))
    const link = page.json?.['@odata.nextLink']
    if (link === undefined || listed.length >= maxListed) return listed
    query = linkQuery(link)
  }
}

function isOurs({ changes }: GraphNotificationUrls) {
  return ({ id, notificationUrl }: GraphSubscription) => isId(id) && notificationUrl === changes
}

function toWatch({ id, expirationDateTime }: GraphSubscription): ApiWatch {
  const expiresAt = dateOf(expirationDateTime)
  if (!isId(id) || !expiresAt)
    throw new MailApiError('unavailable', 'The provider sent an incomplete subscription')
  return { id, expiresAt }
}

function idPath(id: string): string {
  if (!isId(id) || /^\.\.?$/.test(id))
    throw new MailApiError('watch-missing', 'The subscription does not exist')
  return `/${encodeURIComponent(id)}`
}

/**
 * Lifetime of a subscription in minutes that Graph permits according to the text of an error,
 * reduced by 10 minutes for differences between clocks.
 */
function permittedMinutes(error: unknown): number | undefined {
  const text = isMailApiError(error) ? error.message : ''
  const [, minutes] = /expiration can only be (\d{1,6}) minutes/i.exec(text) ?? []
  return minutes === undefined ? undefined : Math.max(Number(minutes) - 10, 45)
}

/**
 * Converts the error of creating a Graph subscription. If Graph reports a missing subscription, the
 * application lacks the right to create subscriptions.
 */
function refused(error: unknown): unknown {
  if (!isMailApiError(error, 'watch-missing')) return error
  return new MailApiError('watch-refused', error.message, { cause: error })
}

/**
 * True if the Graph subscription has to be replaced, because it is missing or because Graph refuses
 * to renew it.
 */
function isGone(error: unknown): error is MailApiError {
  if (isMailApiError(error, 'watch-missing')) return true
  return isMailApiError(error, 'watch-refused') && error.status === 400
}
