import { eventually } from '@posthorn/testkit'
import { admin } from './gateway.ts'

export interface Frame {
  id?: string
  event?: string
  data?: unknown
}

export interface FollowOptions {
  /** Path of the event stream. Defaults to the stream of account changes. */
  path?: string
  token?: string
  /** Value of the header `Last-Event-ID` with which the client requests the event stream. */
  after?: string | undefined
  query?: string
}

/** Client of the event stream, similar to EventSource of browsers. */
export interface StreamClient {
  readonly status: number
  readonly headers: Headers
  readonly frames: readonly Frame[]
  readonly comments: readonly string[]
  /**
   * Id of the last event that the client of the stream received, with which the client reconnects.
   */
  readonly lastId: string | undefined
  /**
   * Account changes or events that the client of the stream received so far, each as `account key`
   * or `account event`.
   */
  changes(): string[]
  /** Resolves when the event stream of the client has ended. */
  readonly ended: Promise<void>
  /**
   * Waits until the client has received `count` changes or events, and returns all of them.
   */
  expect(count: number): Promise<string[]>
  stop(): Promise<void>
}

export async function follow(
  url: string,
  { path = '/v1/changes', token = admin, after, query = '' }: FollowOptions = {},
): Promise<StreamClient> {
  const stop = new AbortController()
  const response = await fetch(`${url}${path}${query}`, {
    signal: stop.signal,
    headers: {
      authorization: `Bearer ${token}`,
      ...(after === undefined ? {} : { 'last-event-id': after }),
    },
  })
  const frames: Frame[] = []
  const comments: string[] = []
  let lastId = after
  const ended = read(response, (block) => {
    const frame = parse(block)
    if (frame.id !== undefined) lastId = frame.id
    if (frame.data !== undefined) frames.push(frame)
    comments.push(...block.split('\n').filter((line) => line.startsWith(':')))
  })
  const changes = () =>
    frames.flatMap(({ event, data }) => (event === 'message' ? [nameOf(data)] : []))
  return {
    status: response.status,
    headers: response.headers,
    frames,
    comments,
    get lastId() {
      return lastId
    },
    changes,
    ended,
    expect: (count) =>
      eventually(() => {
        if (changes().length < count) throw new Error(`${changes().length} of ${count} changes`)
        return changes()
      }),
    async stop() {
      stop.abort()
      await ended
    },
  }
}

async function read(response: Response, onBlock: (block: string) => void): Promise<void> {
  let rest = ''
  try {
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(
      new TextDecoderStream(),
    )) {
      const blocks = (rest + String(chunk)).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) onBlock(block)
    }
  } catch {
    // The client or the server has ended the event stream, so that reading the stream fails.
  }
}

/**
 * Parses one frame of an event stream (WHATWG HTML §9.2.6), restricted to the fields that
 * api-gateway sends.
 */
function parse(block: string): Frame {
  const frame: Frame = {}
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name === 'id') frame.id = value
    if (name === 'event') frame.event = value
    if (name === 'data') frame.data = JSON.parse(value)
  }
  return frame
}

function nameOf(data: unknown): string {
  const { account, key, event } = data as { account: string; key?: string; event?: string }
  return `${account} ${key ?? event}`
}
