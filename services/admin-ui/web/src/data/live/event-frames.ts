/** Frame of the stream of live updates. Comments, which keep the stream open, have no event. */
export interface EventFrame {
  event: string
  data: unknown
}

/**
 * Reads the frames of a stream of server-sent events (WHATWG HTML §9.2.6). `onBytes` is called
 * whenever something arrives.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<EventFrame> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      onBytes()
      const blocks = (rest + decoder.decode(next.value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
        if (event !== undefined) yield { event, data: JSON.parse(data ?? 'null') as unknown }
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}
