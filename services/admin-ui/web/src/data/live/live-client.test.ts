import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { LiveClient, type LiveFrame } from './live-client.ts'

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] })
})
afterEach(() => {
  jest.useRealTimers()
})

/** Stream of live updates that the fake server has opened for a request of the client. */
interface OpenedStream {
  url: string
  header: string | null
  isAborted: () => boolean
  send: (event: string, data: unknown) => void
  /** Ends the stream of live updates, as a server does that stops. */
  end: () => void
}

/**
 * Creates a client of live updates whose fake server opens a stream, or responds with the status in
 * `refuse`.
 */
function startClient() {
  const opened: OpenedStream[] = []
  const frames: LiveFrame[] = []
  const loaded: string[] = []
  const server = { refuse: undefined as number | 'unreachable' | undefined, unauthorized: 0 }
  const client = new LiveClient({
    fetch: (url, init) => {
      if (server.refuse === 'unreachable') return Promise.reject(new TypeError('failed'))
      if (server.refuse !== undefined)
        return Promise.resolve(new Response(null, { status: server.refuse }))
      let stream: ReadableStreamDefaultController<Uint8Array> | undefined
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => void (stream = controller),
      })
      const signal = init?.signal
      signal?.addEventListener('abort', () => stream?.error(new Error('aborted')))
      const write = (text: string) => stream?.enqueue(new TextEncoder().encode(text))
      opened.push({
        url: String(url as string),
        header: new Headers(init?.headers).get('x-svc-admin'),
        isAborted: () => signal?.aborted === true,
        send: (event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
        end: () => stream?.close(),
      })
      write(': Posthorn\n\n')
      return Promise.resolve(new Response(body))
    },
    mayFollow: (topic) => topic !== 'workers',
    onFrame: (frame) => frames.push(frame),
    onLive: (topics) => loaded.push(topics.join()),
    onUnauthorized: () => (server.unauthorized += 1),
    random: () => 0,
  })
  return { client, opened, frames, loaded, server }
}

const settle = () => jest.advanceTimersByTimeAsync(0)
const wait = (ms: number) => jest.advanceTimersByTimeAsync(ms)

/** Starts a client of live updates that follows the topic `changes` and is connected. */
async function startLive() {
  const started = startClient()
  started.client.follow('changes')
  await settle()
  started.opened[0]?.send('status', { connected: true })
  await settle()
  return started
}

describe('LiveClient', () => {
  test('followed topics: one stream with the header of own pages, live after the status', async () => {
    const { client, opened, frames, loaded } = startClient()
    client.follow('outbox')
    client.follow('changes')
    client.follow('changes')
    expect(client.state()).toBe('idle')
    await settle()
    expect(opened.map(({ url, header }) => [url, header])).toEqual([
      ['/admin/live?topics=changes,outbox', '1'],
    ])
    expect(client.state()).toBe('connecting')
    opened[0]?.send('status', { connected: true })
    opened[0]?.send('refresh', ['outbox'])
    await settle()
    expect(client.state()).toBe('live')
    expect(loaded).toEqual(['changes,outbox'])
    expect(frames).toEqual([{ event: 'refresh', data: ['outbox'] }])
  })

  test('another page: the old stream ends, topics that the role forbids are left out', async () => {
    const { client, opened } = startClient()
    const leave = client.follow('changes')
    await settle()
    leave()
    client.follow('workers')
    client.follow('figures')
    await settle()
    expect(opened.map(({ url, isAborted }) => [url, isAborted()])).toEqual([
      ['/admin/live?topics=changes', true],
      ['/admin/live?topics=figures', false],
    ])
  })

  test('no topic left: the stream ends and no attempt follows', async () => {
    const { client, opened } = startClient()
    const leave = client.follow('changes')
    await settle()
    leave()
    await wait(60_000)
    expect([client.state(), opened.length, opened[0]?.isAborted()]).toEqual(['idle', 1, true])
  })

  test('a stream that ends: another one opens without a report of an outage', async () => {
    const { client, opened, loaded } = await startLive()
    const states: string[] = []
    client.subscribe(() => states.push(client.state()))
    opened[0]?.end()
    await wait(500)
    opened[1]?.send('status', { connected: true })
    await settle()
    expect(states).toEqual(['connecting', 'live'])
    expect(loaded).toEqual(['changes', 'changes'])
  })

  test.each([503, 429, 'unreachable'] as const)(
    'server %s: disconnected, attempts at growing intervals, recovers automatically',
    async (refuse) => {
      const { client, opened, server } = await startLive()
      server.refuse = refuse
      opened[0]?.end()
      await wait(500)
      expect(client.state()).toBe('disconnected')
      server.refuse = undefined
      await wait(999)
      expect(opened).toHaveLength(1)
      await wait(1)
      expect(opened).toHaveLength(2)
      expect(client.state()).toBe('disconnected')
      opened[1]?.send('status', { connected: true })
      await settle()
      expect(client.state()).toBe('live')
    },
  )

  test('long outage: at most 10 s between two attempts', async () => {
    const { opened, client, server } = startClient()
    server.refuse = 'unreachable'
    client.follow('changes')
    await wait(300_000)
    server.refuse = undefined
    await wait(10_000)
    expect(opened).toHaveLength(1)
  })

  test('a server that cannot read changes: disconnected until it can', async () => {
    const { client, opened, loaded } = await startLive()
    opened[0]?.send('status', { connected: false })
    await settle()
    expect(client.state()).toBe('disconnected')
    opened[0]?.send('status', { connected: true })
    await settle()
    expect([client.state(), loaded.length, opened.length]).toEqual(['live', 2, 1])
  })

  test('a silent connection: counts as lost after 45 s', async () => {
    const { opened } = await startLive()
    await wait(44_000)
    opened[0]?.send('figures', {})
    await settle()
    await wait(44_999)
    expect(opened[0]?.isAborted()).toBe(false)
    await wait(1)
    expect(opened[0]?.isAborted()).toBe(true)
    await wait(500)
    expect(opened).toHaveLength(2)
  })

  test('hidden tab: has no stream, and connects when it is shown', async () => {
    const { client, opened } = await startLive()
    client.setVisible(false)
    expect([client.state(), opened[0]?.isAborted()]).toEqual(['idle', true])
    await wait(120_000)
    expect(opened).toHaveLength(1)
    client.setVisible(true)
    await settle()
    expect([client.state(), opened.length]).toEqual(['connecting', 2])
  })

  test('ended session: checks the session', async () => {
    const { client, server } = startClient()
    server.refuse = 401
    client.follow('changes')
    await settle()
    expect([client.state(), server.unauthorized]).toEqual(['disconnected', 1])
  })
})
