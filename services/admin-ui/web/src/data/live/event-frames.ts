/** Frame of the stream of live updates, with an event and its data. */
export interface EventFrame {
  event: string
  data: unknown
}

/**
 * Reads the frames of a stream of server-sent events (WHATWG HTML §9.2.6), without comments.
 * `onBytes` is called whenever something arrives, comments included.
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
      yield* blocks.flatMap(parseBlock)
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}

/** Parses a frame. The result is empty for a comment. */
function parseBlock(block: string): EventFrame[] {
  const [, event, data = 'null'] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
  return event === undefined ? [] : [{ event, data: JSON.parse(data) as unknown }]
}
