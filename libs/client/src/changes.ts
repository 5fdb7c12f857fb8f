import type { CallOptions, Client } from './calls/client.ts'
import { backoffMs, delay } from './calls/delay.ts'
import { PosthornError } from './calls/errors.ts'
import { readChunks } from './calls/read-chunks.ts'
import { followChanges } from './generated/operations.ts'
import type { StateChange } from './generated/events.ts'

/** State change of an account or of a mail proxy's listener. */
export interface Change extends StateChange {
  /** Id of the state change. A stream with this id as `lastEventId` continues after the change. */
  id: string
}

/** Report that state changes were deleted before the client read them: read all accounts again. */
export interface HistoryLost {
  id: string
  type: 'historyLost'
  account: null
  key: null
  payload: null
}

export interface ChangesInput {
  /**
   * Id of the last processed state change of an account or proxy. If absent, the stream starts with
   * the next change.
   */
  lastEventId?: string | undefined
  /**
   * Time without data after which the client opens the stream of state changes again. The API sends
   * a comment after 90 s without a change. Default 3 min.
   */
  idleTimeoutMs?: number | undefined
}

/**
 * Follows the state changes of all accounts. Connects again and continues after the last change
 * when the stream ends, until the signal aborts or the API rejects the request.
 */
export async function* changes(
  client: Client,
  { lastEventId, idleTimeoutMs = 180_000 }: ChangesInput = {},
  options: CallOptions = {},
): AsyncGenerator<Change | HistoryLost, never, undefined> {
  const { signal } = options
  let last = lastEventId
  for (let failures = 0; ; failures += 1) {
    try {
      for await (const frame of readConnection(client, last, { ...options, idleTimeoutMs })) {
        failures = 0
        yield* toChanges(frame)
        last = frame.id ?? last
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (isPermanent(error)) throw error
    }
    await delay(backoffMs(failures), signal)
  }
}

/**
 * True if another connection to the stream of state changes would fail, too: a rejected request, or
 * a change that is not JSON.
 */
function isPermanent(error: unknown): boolean {
  if (error instanceof SyntaxError) return true
  return error instanceof PosthornError && error.status < 500 && error.status !== 429
}

interface ConnectionOptions extends CallOptions {
  idleTimeoutMs: number
}

/** Reads the frames of one connection to the stream of state changes until the connection ends. */
async function* readConnection(
  client: Client,
  lastEventId: string | undefined,
  { idleTimeoutMs, signal, ...options }: ConnectionOptions,
): AsyncGenerator<Frame> {
  const connection = new AbortController()
  const signals = signal ? [signal, connection.signal] : [connection.signal]
  const idle = new IdleTimer(idleTimeoutMs, connection)
  try {
    const input = lastEventId === undefined ? {} : { lastEventId }
    const response = await followChanges(client, input, {
      ...options,
      retryForMs: 0,
      signal: AbortSignal.any(signals),
    })
    yield* readFrames(response, () => idle.restart())
  } finally {
    idle.stop()
    connection.abort()
  }
}

/** Timer that ends a connection to the stream of state changes that brings no data. */
class IdleTimer {
  readonly #timeoutMs: number
  readonly #connection: AbortController
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(timeoutMs: number, connection: AbortController) {
    this.#timeoutMs = timeoutMs
    this.#connection = connection
    this.restart()
  }

  restart(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#connection.abort(), this.#timeoutMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

/**
 * State changes in a frame of the stream. Frames with only an id, and comments, contain no change.
 */
function toChanges({ id, event, data }: Frame): (Change | HistoryLost)[] {
  if (id === undefined || data === undefined) return []
  return event === 'historyLost'
    ? [{ id, type: event, account: null, key: null, payload: null }]
    : [{ ...(JSON.parse(data) as StateChange), id }]
}

interface Frame {
  id?: string
  event?: string
  data?: string
}

/** Reads the frames of a stream of server-sent events (WHATWG HTML §9.2.6). */
async function* readFrames({ body }: Response, onData: () => void): AsyncGenerator<Frame> {
  if (!body) return
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of readChunks(body)) {
    onData()
    const frames = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/)
    rest = frames.pop() ?? ''
    for (const frame of frames) yield parseFrame(frame)
  }
}

function parseFrame(text: string): Frame {
  const frame: Record<string, string> = {}
  for (const line of text.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name === '') continue
    frame[name] = name === 'data' && 'data' in frame ? `${frame['data']}\n${value}` : value
  }
  return frame
}
