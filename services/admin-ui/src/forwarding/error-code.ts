import { STATUS_CODES } from 'node:http'
import { Transform, type TransformCallback } from 'node:stream'

/** Maximum size in bytes of an error response of api-gateway in which an error code is searched. */
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
    const body = this.#bytes > maxBytes ? {} : parse(Buffer.concat(this.#chunks))
    return outcomeOf(this.#status, body)
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    if (this.#status >= 400 && this.#bytes <= maxBytes) this.#chunks.push(chunk)
    this.#bytes += chunk.length
    done(null, chunk)
  }
}

/**
 * Parses the body of an error response of api-gateway. The result is empty for a body that is no
 * JSON object.
 */
function parse(body: Buffer): ErrorBody {
  try {
    return (JSON.parse(body.toString('utf8')) ?? {}) as ErrorBody
  } catch {
    return {}
  }
}

interface ErrorBody {
  code?: unknown
}

/**
 * Outcome of a forwarded call for the audit log: the error code of the error response, otherwise
 * the name of the status.
 */
export function outcomeOf(status: number, { code }: ErrorBody): string {
  const isCode = typeof code === 'string' && /^[\w.-]{1,100}$/.test(code)
  return isCode ? code : (STATUS_CODES[status] ?? 'Error')
}
