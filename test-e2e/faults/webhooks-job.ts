import { operations } from '@posthorn/contracts'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually, type ReceivedRequest } from '@posthorn/testkit'
import type { World } from '../world.ts'

/** An event that somebody was promised. */
export interface Promised {
  eventId: string
  account: string
  uid: number
}

/** A target, and which events it is to get. */
export interface FaultTarget {
  path: string
  gets: (event: Promised) => boolean
}

interface Row {
  event_id: string
  target: string
  state: string
  attempts: number
}

/** What one target got of one event. */
interface Story extends Promised {
  path: string
  requests: ReceivedRequest[]
}

/** The default target, and a route whose functions take every other event and change it. */
export async function twoTargets({ client, receiver }: World): Promise<FaultTarget[]> {
  const route = new URL('/route', receiver.url)
  const { status, body } = await client.call(operations.createWebhookRoute, {
    body: {
      name: 'every other one',
      targetUrl: route.href,
      enabled: true,
      content: {
        fn: "return payload.event === 'messageDeleted' && payload.data.uid % 2 === 0",
        map: 'return { ...payload, data: { uid: payload.data.uid } }',
      },
    },
  })
  if (status !== 200) throw new Error(`the route: ${status} ${JSON.stringify(body)}`)
  return [
    { path: new URL(receiver.url).pathname, gets: () => true },
    { path: route.pathname, gets: ({ uid }) => uid % 2 === 0 },
  ]
}

/** Fails a third of the calls, whichever they are; none so often that its attempts could be used up. Returns what was answered well. */
export function failAThird({ receiver }: World): Set<ReceivedRequest> {
  const taken = new Set<ReceivedRequest>()
  receiver.replyWith((request) => {
    if (madeOf(request) < 4 && Math.random() < 1 / 3)
      return Math.random() < 1 / 4 ? { instead: 'drop' } : { status: 500 }
    taken.add(request)
    return {}
  })
  return taken
}

/** The events of a test that are recorded, in the order of their accounts. */
export async function listPromised({ ownerUrl }: World): Promise<Promised[]> {
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

/** Waits until every event is fanned out and no delivery waits. */
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

export interface Told {
  promised: readonly Promised[]
  targets: readonly FaultTarget[]
  taken: ReadonlySet<ReceivedRequest>
}

export interface Findings {
  /** What must not be. */
  problems: string[]
  requests: number
  /** Attempts that were counted and never made. */
  unmade: number
  /** Deliveries that were taken more than once. */
  takenTwice: number
}

/** Compares what was promised with what came, and with what is recorded of it. */
export async function review(world: World, told: Told): Promise<Findings> {
  const rows = await listDeliveries(world)
  const byEvent = Map.groupBy(world.receiver.requests, headerOf('x-svc-wh-event-id'))
  const stories = told.targets.flatMap(({ path, gets }) =>
    told.promised.filter(gets).map((event) => ({
      ...event,
      path,
      requests: (byEvent.get(event.eventId) ?? []).filter((request) => request.path === path),
    })),
  )
  const problems = stories.flatMap((story) => [
    ...problemsOf(story, told.taken),
    ...rowProblems(story, rows.get(keyOf(story.eventId, story.path === '/route'))),
  ])
  const attempts = stories.reduce(
    (sum, { eventId, path }) => sum + (rows.get(keyOf(eventId, path === '/route'))?.attempts ?? 0),
    0,
  )
  const requests = stories.reduce((sum, story) => sum + story.requests.length, 0)
  return {
    problems: [...problems, ...disorders(stories, world.receiver.requests)],
    requests,
    unmade: attempts - requests,
    takenTwice: stories.filter(
      (story) => story.requests.filter((request) => told.taken.has(request)).length > 1,
    ).length,
  }
}

function problemsOf({ eventId, path, requests }: Story, taken: Told['taken']): string[] {
  const what = `${eventId} at ${path}`
  if (!requests.some((request) => taken.has(request))) return [`${what} never arrived`]
  const made = requests.map(madeOf)
  const same = ['x-svc-wh-id', 'x-svc-wh-signature', 'webhook-id'] as const
  // After two minutes the timestamp is that of the attempt, and the signature with it.
  const stamped = [...Map.groupBy(requests, headerOf('webhook-timestamp')).values()]
  return [
    ...same
      .filter((name) => new Set(requests.map(headerOf(name))).size > 1)
      .map((name) => `${what}: several ${name}`),
    ...(stamped.some((sent) => new Set(sent.map(headerOf('webhook-signature'))).size > 1)
      ? [`${what}: several webhook-signature of one time`]
      : []),
    ...(new Set(requests.map(({ body }) => body.toString())).size > 1 ? [`${what}: bodies`] : []),
    ...(made.some((count, n) => n > 0 && count <= (made[n - 1] ?? 0))
      ? [`${what}: attempts made ${made.join(', ')}`]
      : []),
  ]
}

/** The count of the last attempt is what the row says. */
function rowProblems({ eventId, path, requests }: Story, row: Row | undefined): string[] {
  const last = requests.at(-1)
  const isRight =
    row?.state === 'delivered' && last !== undefined && row.attempts === madeOf(last) + 1
  return isRight ? [] : [`${eventId} at ${path}: its row is ${JSON.stringify(row)}`]
}

/** First calls of one account to one target that came after a later event's. */
function disorders(stories: readonly Story[], requests: readonly ReceivedRequest[]): string[] {
  const places = new Map(requests.map((request, index) => [request, index]))
  const chains = Map.groupBy(stories, ({ account, path }) => `${account} at ${path}`)
  return [...chains].flatMap(([chain, events]) => {
    let latest = -1
    return events.flatMap(({ eventId, requests: [first] }) => {
      const place = first ? (places.get(first) ?? -1) : -1
      const isLate = place < latest
      latest = Math.max(latest, place)
      return isLate ? [`${chain}: ${eventId} came after a later one`] : []
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

function madeOf({ headers }: ReceivedRequest): number {
  return Number(headers['x-svc-wh-attempts-made'])
}
