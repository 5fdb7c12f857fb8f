import { readChunks } from '../calls/read-chunks.ts'
import {
  type RequestHeaders,
  verifyWebhook,
  type VerifyOptions,
  type WebhookEvent,
  WebhookVerificationError,
} from './verify-webhook.ts'

export interface WebhookHandlerOptions extends VerifyOptions {
  /** Stores the event of a webhook. Posthorn repeats the delivery if this function throws. */
  onEvent: (event: WebhookEvent) => unknown
  /** Maximum size of a webhook's body in bytes. Default 64 MiB, the maximum that Posthorn sends. */
  maxBytes?: number | undefined
  /**
   * Called with errors of `onEvent`, and with the error of a webhook request that fails the
   * verification.
   */
  onError?: ((error: unknown) => void) | undefined
}

/** HTTP request of Express or `node:http`. */
export interface NodeRequest extends AsyncIterable<Uint8Array | string> {
  headers: RequestHeaders
  /**
   * Request body that an earlier handler has read. The body must have the original bytes: use
   * `express.raw()`.
   */
  body?: unknown
}

/** HTTP response of Express or `node:http`. */
export interface NodeResponse {
  statusCode: number
  end(text?: string): unknown
}

const defaultMaxBytes = 64 * 1024 * 1024

/** Creates a webhook handler for servers that pass a `Request` and take a `Response`. */
export function fetchWebhookHandler(
  options: WebhookHandlerOptions,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const status = await handle(options, request.headers, () =>
      readAll(request.body ? readChunks(request.body) : [], options.maxBytes),
    )
    return new Response(null, { status })
  }
}

/** Creates a webhook handler for Express and for `node:http`. */
export function nodeWebhookHandler(
  options: WebhookHandlerOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    response.statusCode = await handle(options, request.headers, () => {
      const { body } = request
      if (typeof body === 'string' || body instanceof Uint8Array) return Promise.resolve(body)
      if (body !== undefined)
        throw new TypeError(
          'the body of the webhook was parsed, so that its bytes are lost: register the handler before express.json()',
        )
      return readAll(request, options.maxBytes)
    })
    response.end()
  }
}

/** Handles a webhook request. Returns the HTTP status of the response. */
async function handle(
  { secret, toleranceSeconds, onEvent, onError }: WebhookHandlerOptions,
  headers: RequestHeaders,
  readBody: () => Promise<Uint8Array | string | undefined>,
): Promise<number> {
  try {
    const body = await readBody()
    if (body === undefined) return 413
    await onEvent(await verifyWebhook({ headers, body, secret, toleranceSeconds }))
    return 204
  } catch (error) {
    onError?.(error)
    return error instanceof WebhookVerificationError ? 401 : 500
  }
}

/** Reads the body of a webhook request. Returns undefined if the body is too large. */
async function readAll(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>,
  maxBytes = defaultMaxBytes,
): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    const part = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
    size += part.length
    if (size > maxBytes) return undefined
    parts.push(part)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
