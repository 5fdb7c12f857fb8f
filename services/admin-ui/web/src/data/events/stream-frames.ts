/** Frame of a stream of server-sent events. */
export interface StreamFrame {
  id?: string
  event?: string
  data?: string
}

/**
 * Reads the frames of a stream of server-sent events (WHATWG HTML §9.2.6), as the API writes them:
 * one line per field. Frames that arrive together are returned together. Comments give no frame.
 */
export async function* readStreamFrames(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<StreamFrame[]> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      yield blocks.map(parseFrame).filter((frame) => Object.keys(frame).length > 0)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function parseFrame(block: string): StreamFrame {
  const fields = block.split('\n').flatMap((line) => {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(fields)
}
