import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { createHttpCaller } from '@posthorn/net/http-caller'
import {
  faultResponse,
  type GraphFake,
  type GraphFakeOptions,
  startGraphFake,
} from '@posthorn/testkit/graph-fake'
import { providerFaults } from '@posthorn/testkit/providers'
import { createGraphApi, type GraphApiDeps } from '../../src/graph/index.ts'
import type {
  MailApi,
  MailApiAccess,
  MailApiFailure,
  MailApiUse,
} from '../../src/mail-api/index.ts'
import {
  ProviderLimiter,
  type ProviderLimiterOptions,
  type UnitSource,
} from '../../src/provider-limits/provider-limiter.ts'
import { defaultProviderLimits } from '../../src/provider-limits/provider-limits.ts'
import type { MailApiEnvironment } from '../mail-api/environment.ts'

/**
 * Request limiter that does not wait after a rate limit of the Graph fake, because the fake has a
 * virtual clock.
 */
class UnpausedLimiter extends ProviderLimiter {
  readonly pauses: number[] = []

  override pause(_mailbox: unknown, ms: number): void {
    this.pauses.push(ms)
  }

  override applyPause(_application: unknown, ms: number): void {
    this.pauses.push(ms)
  }
}

export interface GraphSetup extends AsyncDisposable {
  fake: GraphFake
  api: MailApi
  pauses: number[]
  /** Creates a Graph client with other dependencies or another account access. */
  create(change?: {
    deps?: Partial<GraphApiDeps>
    access?: Partial<MailApiAccess>
    use?: MailApiUse
  }): MailApi
}

/** Source of quota units that lends all requested units of a mailbox immediately. */
export const lendsAlways: UnitSource = {
  take: async () => undefined,
  reportPause: () => undefined,
}

/** Starts a Graph fake and a receiver of notifications, and creates a Graph client. */
export async function startGraph(
  options: GraphFakeOptions & { service?: ProviderLimiterOptions['service'] } = {},
): Promise<GraphSetup> {
  await using stack = new AsyncDisposableStack()
  const fake = stack.use(await startGraphFake(options))
  const receiver = await startReceiver()
  stack.defer(() => receiver.close())
  const caller = stack.use(
    createHttpCaller({
      policy: 'off',
      timeoutMs: 60_000,
      maxResponseBytes: 1_000_000,
      origins: fake.origins,
    }),
  )
  const common = { limits: defaultProviderLimits, replicas: () => 1 }
  const limiter = new UnpausedLimiter(
    options.service === 'sender'
      ? { ...common, service: 'sender', source: lendsAlways }
      : { ...common, service: 'sync-worker' },
  )
  const own: GraphApiDeps = {
    caller,
    limiter,
    mappedOrigins: fake.origins,
    findUrls: async () => ({
      changes: `${receiver.url}/changes`,
      lifecycle: `${receiver.url}/lifecycle`,
    }),
    delayMs: () => 0,
    now: () => fake.clock.now,
  }
  const create: GraphSetup['create'] = ({
    deps,
    access,
    use = { priority: 'sync' as const },
  } = {}) =>
    createGraphApi({ ...own, ...deps })(
      {
        provider: 'graph',
        account: 'a',
        application: 'app',
        ...(fake.cloud === 'china' && { cloud: 'china' as const }),
        login: async () => ({ user: fake.mailbox.address, accessToken: 'token' }),
        ...access,
      },
      use,
    )
  const owned = stack.move()
  return {
    fake,
    create,
    api: create(),
    pauses: limiter.pauses,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** HTTP server that answers the handshake of Graph subscriptions (change notifications). */
async function startReceiver() {
  const server = createServer((request, response) => {
    const token = new URL(request.url ?? '', 'http://x').searchParams.get('validationToken') ?? ''
    request.resume()
    response.writeHead(200, { 'content-type': 'text/plain' }).end(token)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Graph responses for the failures that tests request, and the number of times that the fake sends
 * each response.
 */
const failures: Partial<Record<MailApiFailure, [status: number, code: string, count: number]>> = {
  'rate-limited': [429, 'ApplicationThrottled', 6],
  'token-rejected': [401, 'InvalidAuthenticationToken', 2],
  'access-denied': [403, 'ErrorAccessDenied', 1],
  'mailbox-disabled': [404, 'MailboxNotEnabledForRESTAPI', 1],
  unavailable: [503, 'ServiceUnavailable', 4],
}

/** Makes the Graph fake fail requests until the client reports the failure. */
export function failNext(fake: GraphFake, failure: MailApiFailure, retryAfterMs?: number): void {
  const [status, code, count] = failures[failure] ?? [400, failure, 1]
  const headers = retryAfterMs === undefined ? {} : { 'retry-after': `${retryAfterMs / 1_000}` }
  const response = { ...faultResponse(status, code), headers }
  fake.server.on('*', providerFaults.times(count, providerFaults.replies(response)))
}

/** Environment of the mail API conformance tests for Microsoft Graph. */
export async function graphEnvironment(
  options: GraphFakeOptions = {},
): Promise<MailApiEnvironment> {
  const setup = await startGraph(options)
  const { fake, api } = setup
  const { mailbox } = fake
  return {
    api,
    ids: ['AAkALg-_x=', '-_-==', `${'aB-_'.repeat(49)}===A`, `${'='.repeat(199)}-`],
    passesStatus: false,
    async deliver(raw, { receivedAt, ...placed } = {}) {
      const at = receivedAt === undefined ? {} : { receivedAt: receivedAt.getTime() }
      return mailbox.deliver({ raw: Buffer.from(raw), ...placed, ...at }).id
    },
    hide: (id, count) => void (mailbox.message(id, true).hiddenReads = count),
    expireCursors: () => fake.delta.expire(),
    removeWatches: () => fake.subscriptions.clear(),
    failNext: (failure, retryAfterMs) => failNext(fake, failure, retryAfterMs),
    sent: () => mailbox.sent.map(String),
    [Symbol.asyncDispose]: () => setup[Symbol.asyncDispose](),
  }
}
