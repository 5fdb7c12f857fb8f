import { defaultProviderLimits } from '@posthorn/backends/provider-limits'
import type { ProviderFault } from '../faults.ts'
import { ProviderFake, type ProviderHandler } from '../provider-fake.ts'
import type { LoggedRequest, ProviderRequest, ProviderResponse } from '../requests.ts'
import { UnitQuota } from '../unit-quota.ts'
import { readDescription } from '../validator.ts'
import { VirtualClock } from '../virtual-clock.ts'
import { GmailFailure, gmailError, gmailFailures } from './failures.ts'
import { batchHandler } from './handlers/batch.ts'
import { draftHandlers } from './handlers/drafts.ts'
import { historyHandlers } from './handlers/history.ts'
import { labelHandlers } from './handlers/labels.ts'
import { messageHandlers } from './handlers/messages.ts'
import { threadHandlers } from './handlers/threads.ts'
import { tokenHandlers } from './handlers/tokens.ts'
import { uploadHandlers } from './handlers/uploads.ts'
import { watchHandlers } from './handlers/watches.ts'
import { GmailMailbox } from './mailbox.ts'
import { GmailState, type MailboxHandler } from './gmail-state.ts'
import { selectFields } from './partial-response.ts'
import { pubSubHandlers } from './pubsub/handlers.ts'

const { costs, defaultCost, accountUnits, accountWindowMs } = defaultProviderLimits.gmail
const maxConcurrent = 5
const prefix = 'gmail.users.'
const fullScope = 'https://mail.google.com/'

/** Operations of the Gmail fake without a published description. */
const undescribed = [
  { id: 'batch', method: 'POST', path: '/batch/gmail/v1' },
  { id: 'token', method: 'POST', path: '/token' },
  { id: 'revoke', method: 'POST', path: '/revoke' },
  // Public keys for the tokens of Pub/Sub pushes, served by the Gmail fake. The real address is at
  // www.googleapis.com.
  { id: 'certs', method: 'GET', path: '/oauth2/v3/certs' },
]

export interface GmailFakeOptions {
  clock?: VirtualClock
  tls?: boolean
  /**
   * Quota units per minute of each mailbox of the Gmail fake, if the switch `limits` is on.
   * Defaults to the published limit.
   */
  accountUnits?: number
}

/**
 * Fake of the Gmail API with several mailboxes, a token endpoint, batches, and Pub/Sub. One origin
 * stands for all origins of Google, which is possible because their paths differ.
 */
export class GmailFake extends GmailState implements AsyncDisposable {
  readonly fake: ProviderFake
  readonly #quota: UnitQuota

  constructor(options: GmailFakeOptions = {}) {
    const clock = options.clock ?? new VirtualClock()
    super(clock)
    this.fake = new ProviderFake({
      ...options,
      clock,
      descriptions: [readDescription('gmail'), readDescription('pubsub')],
      undescribed,
      unitsOf,
      handlers: {
        ...this.#mailboxHandlers(),
        ...tokenHandlers(this),
        ...pubSubHandlers(this),
        certs: () => ({ body: this.pubsub.pushes.keySet }),
        batch: batchHandler(this),
      },
    })
    const units = options.accountUnits ?? accountUnits
    this.#quota = new UnitQuota(this.clock, units, accountWindowMs)
  }

  /**
   * Applies a fault to a method of the Gmail fake, such as `messages.get`, `batch` or
   * `pubsub.projects.subscriptions.pull`. The name `*` stands for all methods.
   */
  on(method: string, fault: ProviderFault): () => void {
    const isWhole = method === '*' || method.startsWith('pubsub.')
    const isMethod = !isWhole && !undescribed.some(({ id }) => id === method)
    return this.fake.on(isMethod ? `${prefix}${method}` : method, fault)
  }

  /** Logged requests of a Gmail method, including uploads. */
  requests(method: string): LoggedRequest[] {
    return this.fake.log.filter(({ operation }) => methodOf(operation) === method)
  }

  addMailbox(address: string): GmailMailbox {
    const mailbox = new GmailMailbox(address, this.clock, this.mailboxes.size)
    mailbox.onChange = () => this.notifications.notify(mailbox, this.clock.now)
    this.mailboxes.set(address, mailbox)
    return mailbox
  }

  /** Changes the address of a mailbox in the Gmail fake. The former address becomes an alias. */
  rename(mailbox: GmailMailbox, address: string): void {
    const former = mailbox.address
    mailbox.address = address
    this.mailboxes.delete(former)
    this.mailboxes.set(address, mailbox)
    this.aliases.set(former, address)
    for (const tokens of [this.tokens, this.refreshTokens])
      for (const grant of tokens.values()) if (grant.address === former) grant.address = address
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pubsub.pushes[Symbol.asyncDispose]()
    await this.fake[Symbol.asyncDispose]()
  }

  #mailboxHandlers(): Record<string, ProviderHandler> {
    const handlers: Record<string, MailboxHandler> = {
      getProfile: (mailbox) => ({
        body: {
          emailAddress: mailbox.address,
          messagesTotal: mailbox.messages.size,
          threadsTotal: new Set(mailbox.list.map(({ threadId }) => threadId)).size,
          historyId: String(mailbox.historyId),
        },
      }),
      'settings.sendAs.list': ({ address, signature }) => ({
        body: { sendAs: [{ sendAsEmail: address, isPrimary: true, signature }] },
      }),
      ...labelHandlers(),
      ...messageHandlers(this),
      ...threadHandlers(this),
      ...draftHandlers(this),
      ...historyHandlers(this),
      ...watchHandlers(this),
      ...uploadHandlers(this),
    }
    return Object.fromEntries(
      Object.entries(handlers).map(([method, handler]) => [
        `${prefix}${method}`,
        (request) => this.#handle(handler, request),
      ]),
    )
  }

  async #handle(handler: MailboxHandler, request: ProviderRequest): Promise<ProviderResponse> {
    try {
      const refused = this.#refusal(request)
      if (refused) return refused
      const mailbox = this.#mailboxOf(request)
      const response = await handler(mailbox, request)
      return withFields(response, request.query.get('fields'))
    } catch (error) {
      if (error instanceof GmailFailure) return error.response
      throw error
    }
  }

  #mailboxOf(request: ProviderRequest): GmailMailbox {
    const { address } = this.findGrant(request) ?? { address: '' }
    const user = request.params['userId'] ?? ''
    const mailbox = this.mailboxes.get(address)
    if (mailbox && (user === 'me' || user.toLowerCase() === address.toLowerCase())) return mailbox
    throw new GmailFailure(403, 'forbidden', `Delegation denied for ${address}`)
  }

  #refusal(request: ProviderRequest): ProviderResponse | undefined {
    const grant = this.findGrant(request)
    if (!grant) return gmailFailures.unauthorized()
    const refused = refusedByScope(grant.scopes, request)
    if (refused) return refused
    if (request.raw.length > this.switches.maxJsonBytes && !request.path.startsWith('/upload'))
      return { status: 413, headers: { 'content-type': 'text/html' }, body: '<title>413</title>' }
    if (!this.switches.limits) return undefined
    if ((request as LoggedRequest).inFlight > maxConcurrent)
      return gmailFailures.tooManyConcurrent()
    const waitMs = this.#quota.take(grant.address, unitsOf(request.operation))
    const metric =
      "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user'"
    return waitMs > 0
      ? gmailError(403, 'rateLimitExceeded', `${metric} of service 'gmail.googleapis.com'`)
      : undefined
  }
}

/** Starts a fake of the Gmail API. */
export async function startGmailFake(options: GmailFakeOptions = {}): Promise<GmailFake> {
  const gmail = new GmailFake(options)
  await gmail.fake.open()
  return gmail
}

function methodOf(operation: string): string {
  return operation.replace(prefix, '').replace(/#upload$/, '')
}

function unitsOf(operation: string): number {
  if (undescribed.some(({ id }) => id === operation) || operation.startsWith('pubsub.')) return 0
  return costs[methodOf(operation)] ?? defaultCost
}

function refusedByScope(
  scopes: readonly string[],
  { operation, method, query }: ProviderRequest,
): ProviderResponse | undefined {
  const name = methodOf(operation)
  const has = (scope: string) => scopes.some((each) => each.endsWith(scope))
  // The restriction of the scope `gmail.metadata` applies even if the token has wider scopes, too.
  if (has('gmail.metadata')) {
    if (query.has('q'))
      return gmailError(403, 'forbidden', "Metadata scope does not support 'q' parameter")
    if (['full', 'raw', null].includes(query.get('format')) && name === 'messages.get')
      return gmailError(403, 'forbidden', "Metadata scope doesn't allow format FULL")
  }
  if (scopes.includes(fullScope)) return undefined
  const isPermanent = name === 'messages.delete' || name === 'messages.batchDelete'
  const isRead = method === 'GET' && (has('gmail.readonly') || has('gmail.metadata'))
  const isAllowed = has('gmail.modify') ? !isPermanent : isRead
  return isAllowed ? undefined : gmailFailures.insufficientScope()
}

function withFields(response: ProviderResponse, fields: string | null): ProviderResponse {
  const isJson = typeof response.body === 'object' && !(response.body instanceof Uint8Array)
  if (!isJson || fields === null || (response.status ?? 200) >= 300) return response
  const body = selectFields(response.body, fields)
  if (body === undefined)
    return gmailError(400, 'invalidParameter', `Invalid field selection ${fields}`)
  return { ...response, body: body as object }
}
