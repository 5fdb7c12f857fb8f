/** Frame of a stream of server-sent events. */
export interface StreamFrame {
  id?: string
  event?: string
  data?: string
}

/** Stream of server-sent events to open and to read. */
export interface StreamOptions {
  /**
   * Opens the stream of server-sent events. Rejects if the server cannot be reached or refuses the
   * request.
   */
  open: (signal: AbortSignal) => Promise<Response>
  /**
   * Maximum time in milliseconds without any bytes of the event stream. The connection then counts
   * as lost.
   */
  silenceMs: number
  /** Signal that ends the event stream. */
  signal: AbortSignal
}

/**
 * Opens a stream of server-sent events (WHATWG HTML §9.2.6) and reads its frames, as the server
 * writes them: one line per field. Frames that arrive together are returned together. A comment
 * gives no frame, so the result for a comment may be an empty list.
 *
 * @throws the error of `open`; the error of the connection if it breaks or is silent for too long
 */
export async function* readStream({
  open,
  silenceMs,
  signal,
}: StreamOptions): AsyncGenerator<readonly StreamFrame[]> {
  const connection = new AbortController()
  const end = () => connection.abort()
  let timer = setTimeout(end, silenceMs)
  try {
    const { body } = await open(AbortSignal.any([signal, connection.signal]))
    const reader = body?.getReader()
    const decoder = new TextDecoder()
    let rest = ''
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      clearTimeout(timer)
      timer = setTimeout(end, silenceMs)
      const blocks = (rest + decoder.decode(next.value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      yield blocks.map(parseFrame).filter((frame) => Object.keys(frame).length > 0)
    }
  } finally {
    clearTimeout(timer)
    end()
  }
}

function parseFrame(block: string): StreamFrame {
  const fields = block.split('\n').flatMap((line) => {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(fields)
}
