import { Semaphore } from '@posthorn/flow'
import { AppError } from '@posthorn/errors'
import { readBody } from '@posthorn/http'
import type { Request, RequestHandler, Response } from 'express'
import { queryOf } from '../link-request.ts'
import type { NoticeForwarder } from './notice-forwarder.ts'
import { parseGraphNotifications } from './parse-graph.ts'
import { sendOutcome, type NotificationOutcome } from './send-outcome.ts'

export interface GraphNotificationsDeps {
  readonly forwarder: Pick<NoticeForwarder, 'forward'>
  readonly bodies: NotificationBodies
  readonly count: (outcome: NotificationOutcome | 'handshake') => void
}

/** Limits of one request, and of all bodies that are in memory at a time. */
const maxBodyBytes = 1024 * 1024
const maxBytesInMemory = 32 * maxBodyBytes
/** Maximum validation token, in characters. */
const maxTokenLength = 4_096
const maxAccountLength = 256

/** Reader of the bodies of notifications, of which a limited number of bytes is in memory. */
export class NotificationBodies {
  readonly #memory = new Semaphore(maxBytesInMemory)
  readonly #timeoutMs: number

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /**
   * Reads a body of up to 1 MiB and passes it to `work`.
   *
   * @throws BodyError; AppError `unavailable` without waiting if too many bodies are in memory
   */
  async use<T>(request: Request, work: (body: string) => Promise<T>): Promise<T> {
    const length = request.headers['content-length']
    // The length of a chunked body is unknown.
    const bytes = length === undefined ? maxBodyBytes : Number(length)
    using permit = this.#memory.tryAcquire(Math.max(1, Math.min(bytes, maxBodyBytes)))
    if (!permit) throw new AppError('unavailable', 'Too many notifications, retry later')
    const limits = { maxBytes: maxBodyBytes, timeoutMs: this.#timeoutMs }
    return await work((await readBody(request, limits)).toString('utf8'))
  }
}

/**
 * Handles notifications and lifecycle notifications of Microsoft Graph. Only the worker of the
 * account can tell whether they are genuine, so the response is the same for forged ones. It is a
 * success as soon as the broker has them.
 */
export function onGraphNotifications(deps: GraphNotificationsDeps): RequestHandler {
  return async (request, response) => {
    const query = queryOf(request)
    const token = query.get('validationToken')
    if (token !== null) {
      deps.count('handshake')
      return sendValidationToken(response, token)
    }
    await sendOutcome(response, deps.count, async () => {
      const account = query.get('account') ?? ''
      if (account === '' || account.length > maxAccountLength)
        throw new AppError('invalid', 'The query must name an account')
      const notices = await deps.bodies.use(request, async (body) =>
        parseGraphNotifications(body, account),
      )
      if (notices.length === 0) return 'ignored'
      await deps.forwarder.forward(notices)
      return 'forwarded'
    })
  }
}

/**
 * Handshake at the creation of a subscription: the token as text, decoded once. Anyone can send
 * such a request, so it has no effect, and the response cannot become a page.
 */
function sendValidationToken(response: Response, token: string): void {
  if (token === '' || token.length > maxTokenLength) {
    response.status(400).type('text/plain').send('The validation token is not valid\n')
    return
  }
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.status(200).type('text/plain').send(token)
}
