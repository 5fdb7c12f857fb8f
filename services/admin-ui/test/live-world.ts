import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { eventually } from '@posthorn/testkit'
import { startFakeGateway } from './call-world.ts'
import { type AdminWorld, adminWorld, join, setUpOwner, type TestBrowser } from './fixture.ts'

/** Statistics as api-gateway returns them, reduced to the members that admin-ui compares. */
export function stats({ accounts = 1, submitted = 0, delivered = 0 } = {}) {
  const none = { waiting: 0, active: 0, delayed: 0, failed: 0 }
  return {
    accounts,
    connections: { connected: accounts },
    queues: { submit: { ...none, waiting: submitted }, notify: { ...none, waiting: delivered } },
    counters: { 'apiCall:success': Math.random() },
  }
}

/** Frame of live updates that a browser tab has received. */
export interface TabFrame {
  event: string
  data: unknown
}

/** Stream of live updates that a test has opened in place of a browser tab. */
export interface Tab {
  readonly status: number
  readonly headers: Headers
  readonly frames: readonly TabFrame[]
  /** Error response in place of the stream of live updates. */
  readonly problem: unknown
  /**
   * Resolves with true when admin-ui has ended the stream of live updates, with false if the stream
   * broke.
   */
  readonly ended: Promise<boolean>
  /**
   * Waits for at least `count` frames of live updates with the name `event`. Returns the data of
   * the last frame.
   */
  expect(event: string, count?: number): Promise<unknown>
  close(): void
}

/** Opens a stream of live updates as a tab of a browser. */
export async function openTab(url: string, browser: TestBrowser, topics: string): Promise<Tab> {
  const stop = new AbortController()
  const headers = { 'x-svc-admin': '1', cookie: `posthorn-session=${browser.cookie}` }
  const response = await fetch(`${url}/admin/live?topics=${topics}`, {
    headers,
    signal: stop.signal,
  })
  const frames: TabFrame[] = []
  const isStream = response.status === 200
  const problem: unknown = isStream ? undefined : await response.json()
  const count = (event: string) => frames.filter((frame) => frame.event === event)
  return {
    status: response.status,
    headers: response.headers,
    frames,
    problem,
    ended: isStream ? read(response, frames) : Promise.resolve(true),
    expect: (event, wanted = 1) =>
      eventually(() => {
        const matching = count(event)
        if (matching.length < wanted)
          throw new Error(
            `${matching.length} of ${wanted} frames ${event}: ${JSON.stringify(frames)}`,
          )
        return matching.at(-1)?.data
      }),
    close: () => stop.abort(),
  }
}

async function read(response: Response, frames: TabFrame[]): Promise<boolean> {
  const text = response.body?.pipeThrough(new TextDecoderStream()) ?? []
  let rest = ''
  try {
    for await (const chunk of text) {
      const blocks = (rest + String(chunk)).split('\n\n')
      rest = blocks.pop() ?? ''
      frames.push(...blocks.flatMap(parseBlock))
    }
    return true
  } catch {
    return false
  }
}

function parseBlock(block: string): TabFrame[] {
  const [, event, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
  return event === undefined ? [] : [{ event, data: JSON.parse(data) }]
}

/** Stream of account changes (`GET /v1/changes`) that is open at the fake api-gateway. */
interface ChangeStream {
  headers: IncomingHttpHeaders
  response: ServerResponse
}

/**
 * Starts admin-ui with a fake api-gateway that serves changes, statistics and workers. The returned
 * `owner` has set the installation up at the replica `a`.
 */
export async function startLiveWorld() {
  const gateway = await startFakeGateway()
  const world: AdminWorld = await adminWorld({ SVC_GATEWAY_URL: gateway.url })
  const [a, b] = await Promise.all([world.start(), world.start()])
  const owner = (await setUpOwner(a)).browser
  const streams = new Set<ChangeStream>()
  const live = {
    ...world,
    a,
    b,
    owner,
    gateway,
    /** Open streams of account changes at the fake api-gateway. */
    streams,
    /** Statistics that the fake api-gateway returns. */
    stats: stats(),
    /** Status with which the fake api-gateway refuses calls; undefined if it serves calls. */
    failure: undefined as number | undefined,
    /** Sends an account change to all open streams of changes, in a frame with the id `id`. */
    change(id: string, change: object) {
      for (const { response } of streams)
        response.write(`id: ${id}\nevent: message\ndata: ${JSON.stringify(change)}\n\n`)
    },
    /**
     * Breaks the stream of changes from the fake api-gateway, and waits until admin-ui has opened
     * another stream.
     */
    async breakStream() {
      const broken = new Set(streams)
      for (const { response } of broken) response.destroy()
      return await eventually(() => {
        const opened = [...streams].find((stream) => !broken.has(stream))
        if (!opened) throw new Error('no stream of changes is open')
        return opened
      })
    },
    /** Invites a person with a role. The person is signed in at the replica `a`. */
    async join(role: string): Promise<TestBrowser> {
      const email = `${role}-${Math.random()}@example.com`
      return (await join(owner, a, { email, role })).browser
    },
    /** Requests that api-gateway has received for a path. */
    requestsOf: (path: string) => gateway.requests.filter(({ url }) => url.startsWith(path)),
    async [Symbol.asyncDispose]() {
      await world.stop()
      await gateway[Symbol.asyncDispose]()
    },
  }
  gateway.reply = (request, response) => {
    const { url = '', headers } = request
    if (live.failure !== undefined) return void response.writeHead(live.failure).end('{}')
    if (url.startsWith('/v1/stats')) return void response.end(JSON.stringify(live.stats))
    if (url.startsWith('/admin/api/workers')) return void response.end('{"workers":[]}')
    const stream = { headers, response }
    streams.add(stream)
    response.once('close', () => streams.delete(stream))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': Posthorn\n\n')
  }
  return live
}
