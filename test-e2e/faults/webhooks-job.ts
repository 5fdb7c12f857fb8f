import { withClient } from '@posthorn/local/postgres/client'
import { eventually, type ReceivedRequest } from '@posthorn/testkit'
import type { World } from '../world.ts'

/** Recorded event that must be delivered to its webhook targets. */
export interface RecordedEvent {
  eventId: string
  account: string
  uid: number
}

/** Webhook target of the fault tests, and the events that it gets. */
export interface FaultTarget {
  path: string
  matches: (event: RecordedEvent) => boolean
}

interface Row {
  event_id: string
  target: string
  state: string
  attempts: number
}

/** Webhook requests with one event that one target received. */
interface EventDeliveries extends RecordedEvent {
  path: string
  requests: ReceivedRequest[]
}

/**
 * Creates the default webhook target, and a webhook route that accepts and changes every second
 * event.
 */
export async function createTargets({ posthorn, receiver }: World): Promise<FaultTarget[]> {
  const route = new URL('/route', receiver.url)
  await posthorn.createWebhookRoute({
    body: {
      name: 'every second event',
      targetUrl: route.href,
      enabled: true,
      content: {
        fn: "return payload.event === 'messageDeleted' && payload.data.uid % 2 === 0",
        map: 'return { ...payload, data: { uid: payload.data.uid } }',
      },
    },
  })
  return [
    { path: new URL(receiver.url).pathname, matches: () => true },
    { path: route.pathname, matches: ({ uid }) => uid % 2 === 0 },
  ]
}

/**
 * Makes the webhook receiver reject a third of the requests at random, but no event so often that
 * its attempts are used up. Returns the accepted requests.
 */
export function rejectOneThird({ receiver }: World): Set<ReceivedRequest> {
  const accepted = new Set<ReceivedRequest>()
  receiver.replyWith((request) => {
    if (attemptsMadeOf(request) < 4 && Math.random() < 1 / 3)
      return Math.random() < 1 / 4 ? { instead: 'drop' } : { status: 500 }
    accepted.add(request)
    return {}
  })
  return accepted
}

/** Recorded test events in the order of their position within the account. */
export async function listRecordedEvents({ ownerUrl }: World): Promise<RecordedEvent[]> {
  const { rows } = await withClient(ownerUrl, (client) =>
    client.query<{ event_id: string; account: string; body: string }>(
      "select event_id, account, body from events where event = 'messageDeleted' order by id",
    ),
  )
  return rows.map(({ event_id: eventId, account, body }) => ({
    eventId,
    account,
    uid: (JSON.parse(body) as { data: { uid: number } }).data.uid,
  }))
}

/** Waits until webhook deliveries exist for every event (fan-out) and no delivery is due. */
export async function untilDelivered({ ownerUrl }: World, timeoutMs: number): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await withClient(ownerUrl, (client) =>
        client.query<{ left: number }>(
          `select (select count(*) from events where fanned_out_at is null)::int
            + (select count(*) from deliveries where state = 'due')::int as left`,
        ),
      )
      if (rows[0]?.left !== 0) throw new Error(`${rows[0]?.left} wait`)
    },
    { timeoutMs },
  )
}

export interface ReviewInput {
  events: readonly RecordedEvent[]
  targets: readonly FaultTarget[]
  accepted: ReadonlySet<ReceivedRequest>
}

export interface ReviewResult {
  /** Texts about violations of the delivery guarantees. */
  problems: string[]
  requests: number
  /** Number of delivery attempts that were counted but never made. */
  countedOnly: number
  /** Number of webhook deliveries that the receiver accepted more than once. */
  acceptedTwice: number
}

/**
 * Compares recorded events with the received webhook requests and with the rows of the table
 * `deliveries`.
 */
export async function reviewDeliveries(world: World, input: ReviewInput): Promise<ReviewResult> {
  const rows = await listDeliveries(world)
  const byEvent = Map.groupBy(world.receiver.requests, headerOf('x-svc-wh-event-id'))
  const deliveries = input.targets.flatMap(({ path, matches: gets }) =>
    input.events.filter(gets).map((event) => ({
      ...event,
      path,
      requests: (byEvent.get(event.eventId) ?? []).filter((request) => request.path === path),
    })),
  )
  const problems = deliveries.flatMap((story) => [
    ...findProblems(story, input.accepted),
    ...findRowProblems(story, rows.get(keyOf(story.eventId, story.path === '/route'))),
  ])
  const attempts = deliveries.reduce(
    (sum, { eventId, path }) => sum + (rows.get(keyOf(eventId, path === '/route'))?.attempts ?? 0),
    0,
  )
  const requests = deliveries.reduce((sum, story) => sum + story.requests.length, 0)
  return {
    problems: [...problems, ...findReordered(deliveries, world.receiver.requests)],
    requests,
    countedOnly: attempts - requests,
    acceptedTwice: deliveries.filter(
      (story) => story.requests.filter((request) => input.accepted.has(request)).length > 1,
    ).length,
  }
}

function findProblems(
  { eventId, path, requests }: EventDeliveries,
  accepted: ReviewInput['accepted'],
): string[] {
  const where = `${eventId} at ${path}`
  if (!requests.some((request) => accepted.has(request))) return [`${where} never arrived`]
  const made = requests.map(attemptsMadeOf)
  const same = ['x-svc-wh-id', 'x-svc-wh-signature', 'webhook-id'] as const
  // Webhook requests are grouped by timestamp, because a repeat after two minutes has its own
  // timestamp and signature.
  const stamped = [...Map.groupBy(requests, headerOf('webhook-timestamp')).values()]
  return [
    ...same
      .filter((name) => new Set(requests.map(headerOf(name))).size > 1)
      .map((name) => `${where}: several ${name}`),
    ...(stamped.some((sent) => new Set(sent.map(headerOf('webhook-signature'))).size > 1)
      ? [`${where}: several webhook-signature values for one timestamp`]
      : []),
    ...(new Set(requests.map(({ body }) => body.toString())).size > 1 ? [`${where}: bodies`] : []),
    ...(made.some((count, n) => n > 0 && count <= (made[n - 1] ?? 0))
      ? [`${where}: attempts made ${made.join(', ')}`]
      : []),
  ]
}

/** Checks that the row of a webhook delivery has the attempt number of its last request. */
function findRowProblems(
  { eventId, path, requests }: EventDeliveries,
  row: Row | undefined,
): string[] {
  const last = requests.at(-1)
  const isRight =
    row?.state === 'delivered' && last !== undefined && row.attempts === attemptsMadeOf(last) + 1
  return isRight ? [] : [`${eventId} at ${path}: its row is ${JSON.stringify(row)}`]
}

/**
 * Finds events of an account that first arrived at the webhook receiver after a later event of that
 * account.
 */
function findReordered(
  deliveries: readonly EventDeliveries[],
  requests: readonly ReceivedRequest[],
): string[] {
  const places = new Map(requests.map((request, index) => [request, index]))
  const chains = Map.groupBy(deliveries, ({ account, path }) => `${account} at ${path}`)
  return [...chains].flatMap(([chain, events]) => {
    let latest = -1
    return events.flatMap(({ eventId, requests: [first] }) => {
      const place = first ? (places.get(first) ?? -1) : -1
      const isLate = place < latest
      latest = Math.max(latest, place)
      return isLate ? [`${chain}: ${eventId} arrived after a later event`] : []
    })
  })
}

async function listDeliveries({ ownerUrl }: World): Promise<Map<string, Row>> {
  const { rows } = await withClient(ownerUrl, (client) =>
    client.query<Row>('select event_id, target, state, attempts from deliveries'),
  )
  return new Map(rows.map((row) => [keyOf(row.event_id, row.target !== 'default'), row]))
}

function keyOf(eventId: string, ofRoute: boolean): string {
  return `${eventId} ${ofRoute}`
}

function headerOf(name: string) {
  return ({ headers }: ReceivedRequest) => String(headers[name])
}

function attemptsMadeOf({ headers }: ReceivedRequest): number {
  return Number(headers['x-svc-wh-attempts-made'])
}
