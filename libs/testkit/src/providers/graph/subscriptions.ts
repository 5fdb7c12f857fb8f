import { randomUUID } from 'node:crypto'
import type { ProviderResponse } from '../requests.ts'
import type { FakeSubscription, GraphRequest, GraphService } from './routes.ts'
import { bodyOf, GraphFault, isImmutable, isoOf, type Json } from './json.ts'

const minuteMs = 60_000
const maxMinutes = 10_070
const minMinutes = 45
const maxPerMailbox = 1_000
const forbidden =
  'Operation: Create; Exception: [Status Code: Forbidden; Reason: Access is denied. Check credentials and try again.]'
const tenantId = '00000000-0000-0000-0000-0000000000aa'

/** Handlers of requests for Graph subscriptions, whose paths are not below a mailbox. */
export const subscriptionRoutes: Record<
  string,
  (request: GraphRequest) => ProviderResponse | Promise<ProviderResponse>
> = {
  'GET /subscriptions': ({ fake }) => ({
    body: { value: active(fake).map((each) => viewOf(each)) },
  }),
  'GET /subscriptions/{subscription-id}': () => {
    // Reading a single subscription fails in the Graph fake, as it does for some tenants for years.
    throw new GraphFault(
      500,
      'ExtensionError',
      'There was an error processing a storage extension.',
    )
  },
  'POST /subscriptions': (request) => subscribe(request),
  'PATCH /subscriptions/{subscription-id}': (request) => {
    const subscription = find(request)
    subscription.expiresAt = expirationOf(request.fake, bodyOf(request))
    return { body: viewOf(subscription) }
  },
  'POST /subscriptions/{subscription-id}/reauthorize': (request) => {
    find(request)
    return {}
  },
  'DELETE /subscriptions/{subscription-id}': (request) => {
    request.fake.subscriptions.delete(find(request).id)
    return {}
  },
}

/** Subscriptions of the Graph fake that have not expired. */
export function active(fake: GraphService): FakeSubscription[] {
  return [...fake.subscriptions.values()].filter(({ expiresAt }) => expiresAt > fake.clock.now)
}

function mustRefuse({ faults }: GraphService): boolean {
  return faults.refusesSubscriptions || faults.delegatedShared
}

async function subscribe(request: GraphRequest): Promise<ProviderResponse> {
  const { fake } = request
  const body = bodyOf(request) as Record<string, string | undefined>
  const { resource = '', notificationUrl = '', lifecycleNotificationUrl } = body
  const mailbox = fake.mailboxOf(/^\/?users\/([^/]+)\//.exec(resource)?.[1] ?? 'me')
  const own = active(fake).filter((each) => each.mailbox === mailbox)
  if (mustRefuse(fake) || own.length >= maxPerMailbox)
    throw new GraphFault(403, 'ExtensionError', forbidden)
  const expiresAt = expirationOf(fake, body)
  if (fake.handshakes)
    for (const url of [notificationUrl, lifecycleNotificationUrl ?? '']) await validate(url)
  const { changeType = '', clientState = '' } = body
  const subscription: FakeSubscription = {
    id: randomUUID(),
    mailbox,
    immutable: isImmutable(request),
    resource,
    changeType,
    clientState,
    notificationUrl,
    lifecycleNotificationUrl,
    expiresAt,
  }
  fake.subscriptions.set(subscription.id, subscription)
  return { status: 201, body: { ...viewOf(subscription), clientState: subscription.clientState } }
}

/**
 * Validates the notification URL of a Graph subscription with a request. The validation token
 * contains characters that must be encoded in a URL.
 */
async function validate(url: string): Promise<void> {
  if (url === '') return
  const token = `Validation: Testing client application reachability+100% <b>${randomUUID()}</b>`
  const target = `${url}${url.includes('?') ? '&' : '?'}validationToken=${encodeURIComponent(token)}`
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  const reply = await fetch(target, {
    method: 'POST',
    headers,
    signal: AbortSignal.timeout(10_000),
  }).catch(() => undefined)
  const isText = reply?.headers.get('content-type')?.startsWith('text/plain') ?? false
  if (reply?.status !== 200 || !isText || (await reply.text()) !== token)
    throw new GraphFault(
      400,
      'ValidationError',
      'Subscription validation request failed. Notification endpoint must respond with 200 OK to validation request.',
    )
}

function expirationOf({ clock }: GraphService, body: Json): number {
  const time = Date.parse(String(body['expirationDateTime']))
  const minutes = (time - clock.now) / minuteMs
  if (!(minutes <= maxMinutes))
    throw new GraphFault(
      400,
      'ExtensionError',
      `Subscription expiration can only be ${maxMinutes} minutes in the future.`,
    )
  return Math.max(time, clock.now + minMinutes * minuteMs)
}

function find({ fake, params }: GraphRequest): FakeSubscription {
  const subscription = active(fake).find(({ id }) => id === params['subscription_id'])
  if (!subscription) throw new GraphFault(404, 'ResourceNotFound', 'The object was not found.')
  return subscription
}

function viewOf(subscription: FakeSubscription): Json {
  const { id, resource, changeType, notificationUrl, lifecycleNotificationUrl } = subscription
  return {
    id,
    resource,
    applicationId: '00000000-0000-0000-0000-0000000000bb',
    changeType,
    clientState: null,
    notificationUrl,
    lifecycleNotificationUrl: lifecycleNotificationUrl ?? null,
    expirationDateTime: new Date(subscription.expiresAt).toISOString(),
    creatorId: '00000000-0000-0000-0000-0000000000cc',
    latestSupportedTlsVersion: 'v1_2',
    encryptionCertificate: null,
    encryptionCertificateId: null,
    includeResourceData: null,
    notificationQueryOptions: null,
  }
}

/** Change notification in the format of Graph. */
export function notificationOf(
  subscription: FakeSubscription,
  { changeType, id }: { changeType: string; id: string },
): Json {
  const path = `Users/${subscription.mailbox.address}/Messages/${id}`
  return {
    ...envelopeOf(subscription),
    changeType,
    resource: path,
    resourceData: {
      '@odata.type': '#Microsoft.Graph.Message',
      '@odata.id': path,
      '@odata.etag': 'W/"1"',
      id,
    },
  }
}

export function lifecycleOf(subscription: FakeSubscription, lifecycleEvent: string): Json {
  return { ...envelopeOf(subscription), lifecycleEvent }
}

function envelopeOf({ id, expiresAt, clientState }: FakeSubscription): Json {
  return {
    subscriptionId: id,
    subscriptionExpirationDateTime: isoOf(expiresAt),
    clientState,
    tenantId,
  }
}
