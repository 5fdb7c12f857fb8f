import { createHttpCaller } from '@posthorn/net/http-caller'
import { providerFaults } from '@posthorn/testkit/providers'
import {
  type GmailFake,
  gmailFailures,
  type GmailMailbox,
  startGmailFake,
} from '@posthorn/testkit/providers/gmail'
import { createGmailApi, gmailOrigin } from '../../src/gmail/index.ts'
import type { LoginOptions, MailApiUse } from '../../src/mail-api/access.ts'
import type { MailApi, MailApiFailure } from '../../src/mail-api/index.ts'
import { ProviderLimiter } from '../../src/provider-limits/provider-limiter.ts'
import { defaultProviderLimits } from '../../src/provider-limits/provider-limits.ts'
import type { MailApiEnvironment } from '../mail-api/environment.ts'

export const address = 'jane@mail.example'
const topic = 'projects/p/topics/t'

export interface GmailSetup extends AsyncDisposable {
  gmail: GmailFake
  mailbox: GmailMailbox
  /** Mail API of the Gmail mailbox. Each call uses a new Gmail client, as in services. */
  api: MailApi
  /** Options of all logins that the Gmail client has requested, in order. */
  logins: LoginOptions[]
  /** Replaces the access token that the logins of the Gmail client return. */
  setToken: (token: string) => void
  create: (use: MailApiUse) => MailApi
}

/**
 * Creates Gmail clients whose request limits equal the limits of the fake server, so that no test
 * waits for quota units.
 */
export function createUnlimited(origin: string, clock?: () => number) {
  const mappedOrigins = { [gmailOrigin]: origin }
  const caller = createHttpCaller({
    policy: 'off',
    timeoutMs: 30_000,
    maxResponseBytes: 1_048_576,
    origins: mappedOrigins,
  })
  const limiter = new ProviderLimiter({
    limits: {
      ...defaultProviderLimits,
      gmail: { ...defaultProviderLimits.gmail, accountUnits: 1e9, applicationUnits: 1e9 },
    },
    service: 'sync-worker',
    replicas: () => 1,
    ...(clock ? { clock } : {}),
  })
  const findTopic = async () => topic
  const createApi = createGmailApi({ caller, limiter, mappedOrigins, findTopic, delayMs: () => 1 })
  return { createApi, caller }
}

/**
 * Starts a Gmail fake with a mailbox and creates a client for the mailbox. Pauses of the client's
 * rate limiter end before the next call.
 */
export async function startGmail(use: MailApiUse = { priority: 'caller' }): Promise<GmailSetup> {
  const gmail = await startGmailFake()
  const mailbox = gmail.addMailbox(address)
  gmail.pubsub.addTopic(topic)
  let skippedMs = 0
  let token = gmail.grant(address)
  const logins: LoginOptions[] = []
  const { createApi, caller } = createUnlimited(gmail.origin, () => performance.now() + skippedMs)
  const create = (wanted: MailApiUse) =>
    createApi(
      {
        provider: 'gmail',
        account: 'a',
        application: 'app',
        login: async (options) => {
          logins.push(options)
          return { user: address, accessToken: token }
        },
      },
      wanted,
    )
  const api = new Proxy(create(use), {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        skippedMs += 86_400_000
        const method = Reflect.get(create(use), name) as (...args: unknown[]) => unknown
        return method(...args)
      }
    },
  })
  return {
    gmail,
    mailbox,
    api,
    logins,
    create,
    setToken: (next) => void (token = next),
    async [Symbol.asyncDispose]() {
      caller[Symbol.dispose]()
      await gmail[Symbol.asyncDispose]()
    },
  }
}

/** Environment of the mail API conformance tests for Gmail. */
export async function gmailEnvironment(): Promise<MailApiEnvironment> {
  const setup = await startGmail({ priority: 'caller', timeoutMs: 5_000 })
  const { gmail, mailbox, api } = setup
  return {
    api,
    ids: ['18c0ffee00000001', '1'],
    passesStatus: true,
    deliver: async (raw, { folderId = 'INBOX', unseen = true, receivedAt, id } = {}) => {
      const message = mailbox.deliver(raw, {
        labels: [folderId, ...(unseen ? ['UNREAD'] : [])],
        ...(id !== undefined && { id }),
        ...(receivedAt && { internalDate: receivedAt.getTime() }),
      })
      return message.id
    },
    hide: (id, count) => void (mailbox.getMessage(id).hiddenGets = count),
    expireCursors: () => mailbox.expireHistory(),
    removeWatches: () => gmail.notifications.stop(address),
    failNext: (failure) => failNext(gmail, failure),
    sent: () => gmail.sent.map(({ raw }) => raw.toString()),
    [Symbol.asyncDispose]: () => setup[Symbol.asyncDispose](),
  }
}

/** Makes the Gmail fake refuse as many requests as the client sends for one call. */
function failNext(gmail: GmailFake, failure: MailApiFailure): void {
  const date = new Date('2026-11-01T12:00:00Z')
  const inSeven = gmailFailures.rateLimitedUntil(new Date(date.getTime() + 7_000))
  const failures: Partial<Record<MailApiFailure, [number, typeof inSeven]>> = {
    'rate-limited': [1, { ...inSeven, headers: { ...inSeven.headers, date: date.toUTCString() } }],
    'token-rejected': [2, gmailFailures.unauthorized()],
    'access-denied': [1, gmailFailures.insufficientScope()],
    'mailbox-disabled': [2, gmailFailures.mailServiceDisabled()],
    unavailable: [4, gmailFailures.unavailable()],
  }
  const [count, response] = failures[failure] ?? [0, {}]
  gmail.on('*', providerFaults.times(count, providerFaults.replies(response)))
}
