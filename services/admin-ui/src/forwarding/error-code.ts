import { STATUS_CODES } from 'node:http'
import { Transform, type TransformCallback } from 'node:stream'

/** Maximum size in bytes of an error response in which an error code is searched. */
const maxBytes = 64 * 1024

/**
 * Passes the body of api-gateway's response on, and remembers enough of an error response to find
 * its error code.
 */
export class ErrorCodeReader extends Transform {
  readonly #status: number
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(status: number) {
    super()
    this.#status = status
  }

  /**
   * Outcome of a forwarded call: `done` for a successful response, else the error code, else the
   * name of the HTTP status.
   */
  get outcome(): string {
    if (this.#status < 400) return 'done'
    const code = this.#bytes > maxBytes ? undefined : codeIn(Buffer.concat(this.#chunks))
    return code ?? STATUS_CODES[this.#status] ?? 'Error'
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    if (this.#status >= 400 && this.#bytes <= maxBytes) this.#chunks.push(chunk)
    this.#bytes += chunk.length
    done(null, chunk)
  }
}

function codeIn(body: Buffer): string | undefined {
  try {
    return codeOf(JSON.parse(body.toString('utf8')) as { code?: unknown })
  } catch {
    return undefined
  }
}

/** Error code of an error response. Undefined if the response has none. */
export function codeOf({ code }: { code?: unknown }): string | undefined {
  return typeof code === 'string' && /^[\w.-]{1,100}$/.test(code) ? code : undefined
}
