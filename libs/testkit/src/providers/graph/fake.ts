import type { ProviderRequest, ProviderResponse } from '../requests.ts'
import { ProviderFake, type ProviderHandler } from '../provider-fake.ts'
import { UnitQuota } from '../unit-quota.ts'
import { readDescription } from '../validator.ts'
import { VirtualClock } from '../virtual-clock.ts'
import { overConcurrency, respondToBatch } from './batch.ts'
import { changingRoutes } from './changing.ts'
import { FakeConcurrency } from './concurrency.ts'
import { FakeDelta } from './delta.ts'
import { faultResponse, GraphFault, isImmutable } from './json.ts'
import { FakeMailbox } from './mailbox.ts'
import { FakeNotifications } from './notifications.ts'
import { readingRoutes } from './reading.ts'
import type {
  FakeSubscription,
  GraphFaults,
  GraphRequest,
  GraphRoutes,
  GraphService,
  MailboxRequest,
  UploadSession,
} from './routes.ts'
import { isIgnoredMime, sendingRoutes } from './sending.ts'
import { onUpload, openSession, uploadOrigin } from './uploads.ts'
import { subscriptionRoutes } from './subscriptions.ts'
import { FakeTokens } from './tokens.ts'

export interface GraphFakeOptions {
  /**
   * Addresses of the Graph fake's mailboxes. The first address is the mailbox of `/me`. Default:
   * `ann@mail.example`.
   */
  mailboxes?: readonly string[]
  clock?: VirtualClock
  cloud?: 'global' | 'china'
  seed?: number
  /**
   * Limits of each mailbox of the Graph fake. Default: 4 concurrent requests, 10,000 requests in 10
   * minutes, and request bodies of 150 MB in 5 minutes.
   */
  limits?: { concurrent?: number; requests?: number; uploadBytes?: number }
  /** False to create Graph subscriptions without validating their notification URLs. */
  handshakes?: boolean
}

const attachmentContent = 'GET /messages/{message-id}/attachments/{attachment-id}/$value'
const folderPrefix = '/mailFolders/{mailFolder-id}'
/** Pattern of Graph's message operations that also exist below the path of a folder. */
const alsoInFolder = /^(GET|PATCH|DELETE|POST) \/messages\/\{message-id\}/

/** Fake of the mail part of Microsoft Graph, with its token endpoint. */
export class GraphFake implements GraphService, AsyncDisposable {
  readonly server: ProviderFake
  readonly clock: VirtualClock
  readonly cloud: 'global' | 'china'
  readonly handshakes: boolean
  readonly concurrency: FakeConcurrency
  readonly mailboxes: FakeMailbox[]
  readonly tokens = new FakeTokens()
  readonly subscriptions = new Map<string, FakeSubscription>()
  readonly uploads = new Map<string, UploadSession>()
  readonly notifications: FakeNotifications
  readonly faults: GraphFaults = {
    refusesSubscriptions: false,
    delegatedShared: false,
    losesNextLinks: false,
    staleSearch: false,
    maxListPage: Infinity,
    full: false,
    namesUsedUp: false,
    deniedSenders: [],
    maxSentBytes: Infinity,
    draftIdChanges: false,
    replacesMessageId: false,
    sentDelayMs: 0,
    appOnly: false,
  }
  readonly #deltas = new Map<FakeMailbox, FakeDelta>()
  readonly #quota: UnitQuota
  readonly #uploadQuota: UnitQuota

  constructor(options: GraphFakeOptions = {}) {
    const { mailboxes = ['ann@mail.example'], clock = new VirtualClock(), limits = {} } = options
    this.clock = clock
    this.cloud = options.cloud ?? 'global'
    this.handshakes = options.handshakes ?? true
    this.concurrency = new FakeConcurrency(limits.concurrent ?? 4)
    this.#quota = new UnitQuota(clock, limits.requests ?? 10_000, 600_000)
    this.#uploadQuota = new UnitQuota(clock, limits.uploadBytes ?? 150_000_000, 300_000)
    this.notifications = new FakeNotifications(this)
    const seed = options.seed ?? 1
    this.mailboxes = mailboxes.map(
      (address, index) => new FakeMailbox(address, { clock, seed: seed + index }),
    )
    for (const mailbox of this.mailboxes)
      mailbox.onEvent = (event) => this.notifications.add(mailbox, event)
    this.server = new ProviderFake({
      clock,
      descriptions: [readDescription('graph')],
      undescribed: undescribed(),
      handlers: this.#handlers(),
    })
    ignoreLargeMime(this.server)
  }

  get mailbox(): FakeMailbox {
    return this.mailboxes[0] as FakeMailbox
  }

  /**
   * Origin in the links of the Graph fake's responses. Clients reach the fake at this origin by
   * their map of origins.
   */
  get publicOrigin(): string {
    return this.cloud === 'china'
      ? 'https://microsoftgraph.chinacloudapi.cn'
      : 'https://graph.microsoft.com'
  }

  /** Map of origins with which clients reach the Graph fake instead of the real origins. */
  get origins(): Record<string, string> {
    const { origin } = this.server
    const login = 'https://login.microsoftonline.com'
    return { [this.publicOrigin]: origin, [login]: origin, [uploadOrigin]: origin }
  }

  get delta(): FakeDelta {
    return this.deltaOf(this.mailbox)
  }

  deltaOf(mailbox: FakeMailbox): FakeDelta {
    const delta = this.#deltas.get(mailbox) ?? new FakeDelta(mailbox)
    this.#deltas.set(mailbox, delta)
    return delta
  }

  /**
   * Counts the body of a request towards the upload limit of the Graph mailbox. Returns an error if
   * the limit is exceeded.
   */
  takeUpload(mailbox: FakeMailbox, { method, raw }: ProviderRequest): GraphFault | undefined {
    const isUpload = ['PATCH', 'POST', 'PUT'].includes(method)
    const delayMs = isUpload ? this.#uploadQuota.take(mailbox.address, raw.length) : 0
    return delayMs > 0 ? overUpload(delayMs) : undefined
  }

  /**
   * Finds a mailbox of the Graph fake by its address or `me`.
   * @throws GraphFault
   */
  mailboxOf(user: string): FakeMailbox {
    const address = decodeURIComponent(user).toLowerCase()
    const isOwn = address === 'me'
    if (isOwn && this.faults.appOnly) {
      const text = '/me request is only valid with delegated authentication flow.'
      throw new GraphFault(400, 'BadRequest', text)
    }
    const mailbox = isOwn ? this.mailbox : this.mailboxes.find((each) => each.address === address)
    if (mailbox) return mailbox
    throw new GraphFault(404, 'ErrorInvalidUser', `The requested user '${address}' is invalid.`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]()
  }

  #handlers(): Record<string, ProviderHandler> {
    const routes: GraphRoutes = {
      ...readingRoutes,
      ...changingRoutes,
      ...sendingRoutes,
      'POST /messages/{message-id}/attachments/createUploadSession': openSession,
    }
    const ofMailbox = Object.entries(routes).flatMap(([id, route]) => {
      const handler = this.#guarded((request) => route(this.#inMailbox(request)))
      const inFolder = id.replace(alsoInFolder, `$1 ${folderPrefix}/messages/{message-id}`)
      return inFolder === id
        ? [[id, handler]]
        : [
            [id, handler],
            [inFolder, handler],
          ]
    })
    const others = Object.entries({ ...subscriptionRoutes, 'POST /$batch': respondToBatch })
    return {
      ...(Object.fromEntries(ofMailbox) as Record<string, ProviderHandler>),
      ...Object.fromEntries(others.map(([id, route]) => [id, this.#guarded(route)])),
      [`${attachmentContent} me`]: this.#guarded((request) =>
        (readingRoutes[attachmentContent] as GraphRoutes[string])(this.#inMailbox(request)),
      ),
      token: (request) => this.tokens.respond(request),
      upload: (request) => onUpload(this, request),
      'upload state': (request) => onUpload(this, request),
      'upload end': (request) => onUpload(this, request),
    }
  }

  #inMailbox(request: GraphRequest): MailboxRequest {
    const user = request.path.startsWith('/v1.0/me/') ? 'me' : (request.params['user_id'] ?? 'me')
    const mailbox = this.mailboxOf(user)
    const { closed } = request
    if (closed && !this.concurrency.start(mailbox.address, closed)) throw overConcurrency()
    if (this.#quota.take(mailbox.address, 1) > 0)
      throw new GraphFault(429, 'ApplicationThrottled', 'Application is over its Request limit.')
    const refused = this.takeUpload(mailbox, request)
    if (refused) throw refused
    return { ...request, mailbox, param: (name) => request.params[name] ?? '' }
  }

  /**
   * Handler that checks the token of a Graph request before it calls `handler`, and sends a thrown
   * fault as a response.
   */
  #guarded(
    handler: (request: GraphRequest) => ProviderResponse | Promise<ProviderResponse>,
  ): ProviderHandler {
    return async (request) => {
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
      if (token === undefined)
        return faultResponse(401, 'InvalidAuthenticationToken', 'Access token is empty.')
      if (this.tokens.accepted && !this.tokens.accepted.has(token))
        return faultResponse(
          401,
          'InvalidAuthenticationToken',
          'Lifetime validation failed, the token is expired.',
        )
      try {
        const response = await handler({ ...request, fake: this })
        const applied = isImmutable(request) ? { 'preference-applied': 'IdType=ImmutableId' } : {}
        return { ...response, headers: { ...applied, ...response.headers } }
      } catch (error) {
        if (error instanceof GraphFault) return error.response
        throw error
      }
    }
  }
}

function ignoreLargeMime(server: ProviderFake): void {
  for (const operation of ['POST /messages', `POST ${folderPrefix}/messages`, 'POST /sendMail'])
    server.on(operation, (request) =>
      isIgnoredMime(request)
        ? { kind: 'reply', response: { status: 200 }, unchecked: true }
        : undefined,
    )
}

/** Error response of the Graph fake's upload limit. The text is from O365/python-o365 issue 500. */
function overUpload(delayMs: number): GraphFault {
  const text = 'Application is over its IncomingBytes limit.'
  const fault = new GraphFault(429, 'ApplicationThrottled', text)
  const seconds = Math.min(300, Math.ceil(delayMs / 1_000))
  fault.response.headers = { 'Retry-After': String(seconds) }
  return fault
}

/**
 * Starts a fake of Microsoft Graph. Its disposal fails if a request or response did not match the
 * API description.
 */
export async function startGraphFake(options: GraphFakeOptions = {}): Promise<GraphFake> {
  const fake = new GraphFake(options)
  await fake.server.open()
  return fake
}

/** Operations of the Graph fake that no published description contains. */
function undescribed() {
  const content = '/messages/{message-id}/attachments/{attachment-id}/$value'
  return [
    { id: 'token', method: 'POST', path: '/{tenant}/oauth2/v2.0/token' },
    { id: attachmentContent, method: 'GET', path: `/v1.0/users/{user-id}${content}` },
    { id: `${attachmentContent} me`, method: 'GET', path: `/v1.0/me${content}` },
    { id: 'upload', method: 'PUT', path: '/upload/{session}' },
    { id: 'upload state', method: 'GET', path: '/upload/{session}' },
    { id: 'upload end', method: 'DELETE', path: '/upload/{session}' },
  ]
}
