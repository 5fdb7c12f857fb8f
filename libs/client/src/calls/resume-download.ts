import { PosthornConnectionError } from './errors.ts'

interface ResumeOptions {
  name: string
  signal: AbortSignal | undefined
  /** Requests the remaining bytes of the downloaded file. */
  readFrom: (range: { range: string; ifRange: string }) => Promise<Response>
}

/**
 * Maximum interruptions of a file's download in a row without a new byte. A file that cannot be
 * read to its end would be requested forever.
 */
const maxStalls = 3

/**
 * Returns an HTTP response whose body continues with a range request when its connection is cut.
 */
export function resumeDownload(response: Response, options: ResumeOptions): Response {
  const { status, statusText, headers, body } = response
  const etag = headers.get('etag')
  if (status !== 200 || etag === null || body === null) return response
  const source = new ResumableSource(body, etag, options)
  const stream = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 })
  return new Response(stream, { status, statusText, headers })
}

class ResumableSource {
  readonly #etag: string
  readonly #options: ResumeOptions
  #reader: ReadableStreamDefaultReader<Uint8Array>
  #received = 0
  #stalls = 0

  constructor(body: ReadableStream<Uint8Array>, etag: string, options: ResumeOptions) {
    this.#reader = body.getReader()
    this.#etag = etag
    this.#options = options
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      try {
        const { done, value } = await this.#reader.read()
        if (done) return controller.close()
        this.#received += value.length
        this.#stalls = 0
        return controller.enqueue(value)
      } catch (error) {
        this.#options.signal?.throwIfAborted()
        await this.#resume(error)
      }
    }
  }

  cancel(reason: unknown): Promise<void> {
    return this.#reader.cancel(reason)
  }

  async #resume(error: unknown): Promise<void> {
    const { name, readFrom } = this.#options
    this.#stalls += 1
    if (this.#stalls > maxStalls) throw new PosthornConnectionError(name, error)
    const response = await readFrom({ range: `bytes=${this.#received}-`, ifRange: this.#etag })
    const start = response.headers.get('content-range')?.match(/^bytes (\d+)-/)?.[1]
    if (response.status !== 206 || Number(start) !== this.#received || !response.body) {
      await response.body?.cancel()
      throw new PosthornConnectionError(name, new Error('the file changed during the download'))
    }
    this.#reader = response.body.getReader()
  }
}
