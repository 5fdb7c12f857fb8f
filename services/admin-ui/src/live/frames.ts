/** Frame of a stream of server-sent events (WHATWG HTML §9.2.6). */
export interface EventFrame {
  id?: string
  event?: string
  data?: string
}

/** Maximum number of characters of a frame in an event stream of api-gateway. */
const maxFrameLength = 1024 * 1024

/** Text of a frame of server-sent events, with an event name and JSON data without line breaks. */
export function frameText(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/**
 * Reads the frames of an event stream of api-gateway, which ends its lines with LF. Frames that
 * contain only a comment are returned empty.
 *
 * @throws Error for a frame above 1 MiB; the error of the body
 */
export async function* readFrames(body: AsyncIterable<Uint8Array>): AsyncGenerator<EventFrame> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    if (rest.length > maxFrameLength)
      throw new Error('a frame of the stream of changes exceeds 1 MiB')
    for (const block of blocks) yield parseFrame(block)
  }
}

function parseFrame(block: string): EventFrame {
  const frame: EventFrame = {}
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name === 'id' || name === 'event') frame[name] = value
    if (name === 'data') frame.data = frame.data === undefined ? value : `${frame.data}\n${value}`
  }
  return frame
}
