import { readChunks } from './read-chunks.ts'

/** Bytes that the client encodes in base64 while it sends a request. */
export type Binary = Blob | Uint8Array | ReadableStream<Uint8Array>

/** Binary content in an API request: text in base64, or the bytes themselves. */
export type Base64 = string | Binary

/** Body of an API request. */
export interface RequestBody {
  /** Creates the request body for one attempt of an API call. */
  create(): Promise<Pick<RequestInit, 'body'>>
  /** True if the request body can be created only once, because a stream is part of the body. */
  isOneShot: boolean
}

/**
 * Serializes a request body as JSON. Bytes inside the body are encoded in base64 as the request is
 * sent, so that they are never in memory as a whole.
 */
export function serialize(value: unknown): RequestBody {
  const binaries: Binary[] = []
  const mark = `\u0000${Math.random()}\u0000`
  const text = JSON.stringify(value, function replace(this: Record<string, unknown>, key, member) {
    // At this point, `toJSON` has already converted buffers of Node, so the original value is used.
    const original = this[key]
    if (!isBinary(original)) return member as unknown
    binaries.push(original)
    return mark
  })
  if (binaries.length === 0) {
    return { create: () => Promise.resolve({ body: text }), isOneShot: false }
  }
  const texts = text.split(JSON.stringify(mark).slice(1, -1))
  return {
    create: () => toRequestInit(() => encode(texts, binaries)),
    isOneShot: binaries.some((binary) => binary instanceof ReadableStream),
  }
}

function isBinary(value: unknown): value is Binary {
  return value instanceof Blob || value instanceof Uint8Array || value instanceof ReadableStream
}

async function* encode(texts: readonly string[], binaries: readonly Binary[]) {
  const encoder = new TextEncoder()
  for (const [index, text] of texts.entries()) {
    yield encoder.encode(text)
    const binary = binaries[index]
    if (binary) for await (const base64 of toBase64(binary)) yield encoder.encode(base64)
  }
}

/**
 * Number of bytes of a request that are encoded in base64 at a time: a multiple of 3, so that there
 * is no padding.
 */
const pieceLength = 24_576

async function* toBase64(binary: Binary): AsyncGenerator<string> {
  let rest = new Uint8Array(0)
  for await (const chunk of chunksOf(binary)) {
    const bytes = new Uint8Array(rest.length + chunk.length)
    bytes.set(rest)
    bytes.set(chunk, rest.length)
    const end = bytes.length - (bytes.length % 3)
    let text = ''
    for (let at = 0; at < end; at += pieceLength) {
      text += btoa(String.fromCharCode(...bytes.subarray(at, Math.min(end, at + pieceLength))))
    }
    yield text
    rest = bytes.slice(end)
  }
  yield btoa(String.fromCharCode(...rest))
}

const chunkLength = 1_048_576

async function* chunksOf(binary: Binary): AsyncGenerator<Uint8Array> {
  if (binary instanceof ReadableStream) {
    yield* readChunks(binary)
  } else if (binary instanceof Blob) {
    for (let at = 0; at < binary.size; at += chunkLength)
      yield new Uint8Array(await binary.slice(at, at + chunkLength).arrayBuffer())
  } else {
    for (let at = 0; at < binary.length; at += chunkLength)
      yield binary.subarray(at, at + chunkLength)
  }
}

/**
 * Creates the body of an API request as a stream, or as a `Blob` where requests cannot be streams.
 */
async function toRequestInit(
  chunks: () => AsyncGenerator<Uint8Array<ArrayBuffer>>,
): Promise<Pick<RequestInit, 'body'>> {
  if (canStreamRequests()) {
    const iterator = chunks()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await iterator.return(undefined)
      },
    })
    return { body, duplex: 'half' } as Pick<RequestInit, 'body'>
  }
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of chunks()) parts.push(chunk)
  return { body: new Blob(parts) }
}

/** Browsers without streams in requests ignore `duplex`, and convert a stream to a text. */
function canStreamRequests(): boolean {
  let isRead = false
  const init = {
    method: 'POST',
    body: new ReadableStream(),
    get duplex() {
      isRead = true
      return 'half'
    },
  }
  const { headers } = new Request('http://localhost', init as RequestInit)
  return isRead && !headers.has('content-type')
}
