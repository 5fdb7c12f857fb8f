import { readStream, type StreamFrame } from '../live/read-stream.ts'

/**
 * Time without any bytes after which the connection of an event stream counts as lost. The server
 * sends a comment every 90 s.
 */
const silenceMs = 200_000

/**
 * State of the connection to a stream of server-sent events: being opened, open, or lost and opened
 * again soon.
 */
export type StreamState = 'connecting' | 'live' | 'lost'

export interface FollowStreamOptions {
  /**
   * Opens the stream of server-sent events after the frame with the id `lastId`, or at the current
   * end of the stream.
   *
   * @throws if the server cannot be reached or refuses the request
   */
  open: (lastId: string | undefined, signal: AbortSignal) => Promise<Response>
  /** Called with the data of new frames of an event stream, oldest first. */
  onData: (data: readonly string[]) => void
  onState: (state: StreamState) => void
  /** Called if the server has deleted frames of the event stream that were not read. */
  onLost: () => void
  /** Waits before the next connection to the server, at most until the signal aborts. */
  wait: (signal: AbortSignal) => Promise<void>
  signal: AbortSignal
}

/**
 * Follows a stream of server-sent events until the signal aborts. After a lost connection, the
 * stream continues after the last frame, so that no frame is missed.
 */
export async function followStream(options: FollowStreamOptions): Promise<void> {
  const { open, onState, wait, signal } = options
  let lastId: string | undefined
  while (!signal.aborted) {
    try {
      onState('connecting')
      const openNext = (connection: AbortSignal) => open(lastId, connection)
      for await (const frames of readStream({ open: openNext, silenceMs, signal })) {
        signal.throwIfAborted()
        // The first frame of an event stream has the id at which the stream starts.
        onState('live')
        lastId = frames.findLast(({ id }) => id !== undefined)?.id ?? lastId
        report(frames, options)
      }
    } catch {
      // The connection of the event stream failed or ended. The state shows this to the person.
    }
    if (signal.aborted) return
    onState('lost')
    await wait(signal)
  }
}

function report(frames: readonly StreamFrame[], { onData, onLost }: FollowStreamOptions): void {
  if (frames.some(({ event }) => event === 'historyLost')) onLost()
  const data = frames.flatMap((frame) =>
    frame.event === 'message' && frame.data !== undefined ? [frame.data] : [],
  )
  if (data.length > 0) onData(data)
}
