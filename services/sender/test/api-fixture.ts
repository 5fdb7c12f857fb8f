import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import {
  type ApiDraft,
  type CreateMailApi,
  type MailApi,
  MailApiError,
  type MailApiErrorOptions,
  type MailApiFailure,
} from '@posthorn/backends/mail-api'
import { shardOf } from '@posthorn/contracts/shards'
import type { Backend, Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { eventually } from '@posthorn/testkit'
import { MailApiModel, type MailApiModelOptions } from '@posthorn/testkit/mail-api-model'
import { senderFixture, serveCredentials } from './fixture.ts'

export interface ApiAccountOptions {
  backend?: Exclude<Backend, 'imap'>
  sendOnly?: boolean
  model?: Partial<MailApiModelOptions>
}

/** Fixture for tests of senders with accounts at models of mail APIs. */
export async function apiFixture() {
  const fixture = await senderFixture()
  const models = new Map<string, MailApiModel>()
  const calls = new Map<string, CallCount>()
  const users = new Map<string, string>()
  const tokens = new Map<string, string>()
  let loginError: AppError | undefined
  const credentials = await serveCredentials(fixture.broker.url, (_fresh, account = '') => {
    const user = users.get(account) ?? 'jane@mail.example'
    const accessToken = tokens.get(account) ?? 'token'
    return loginError ?? { user, accessToken, application: 'app' }
  })
  const createMailApi: CreateMailApi = ({ account }) => {
    const model = models.get(account)
    if (!model) throw new Error(`no model of ${account}`)
    return counting(model.api, calls.get(account) ?? { running: 0, most: 0 })
  }
  const createMailApis = () => ({ gmail: createMailApi, graph: createMailApi })
  const senders: AsyncDisposable[] = []
  return {
    ...fixture,
    ...interruptions(fixture.db),
    models,
    /** Adds an account that sends by SMTP. */
    addSmtpAccount: fixture.addAccount,
    /**
     * Mailboxes at the mail API by account. An account without an entry has a mailbox of the same
     * name.
     */
    users,
    /** Access tokens for the mail API by account. */
    tokens,
    /** Returns the largest number of concurrent mail API calls for an account so far. */
    concurrency: (account: string) => calls.get(account)?.most,
    /** Requests for credentials that senders have sent to auth-bridge. */
    credentialRequests: credentials.requests,
    failLogins: (error: AppError | undefined) => {
      loginError = error
    },
    sender: async (env: Record<string, string> = {}) =>
      void senders.push(await fixture.startSender(env, { createMailApis })),
    makeCleanupsDue: () => makeCleanupsDue(fixture.db),
    /** Waits until the draft cleanups have removed all drafts at the mail provider. */
    untilNoDrafts: (model: MailApiModel) =>
      eventually(async () => {
        await makeCleanupsDue(fixture.db)
        expect(draftsOf(model)).toEqual([])
      }),
    stopSenders: async () => {
      loginError = undefined
      for (const sender of senders.splice(0)) await sender[Symbol.asyncDispose]()
    },
    /** Submission that no sender starts. */
    waiting: (account: string, options: { maxAttempts?: number } = {}) =>
      fixture.submit({ account, sendAt: new Date(Date.now() + 3_600_000), ...options }),
    /** Starts a sender of a release that supports no mail APIs. */
    startWithoutApis: () => fixture.startSender({}, { createMailApis: () => ({}) }),
    addAccount: async (options: ApiAccountOptions = {}) => {
      const { backend = 'gmail', sendOnly = false } = options
      const account = `api-${randomUUID()}`
      const placement = backend === 'gmail' ? 'labels' : 'folder'
      const model = new MailApiModel({ placement, ...options.model })
      models.set(account, model)
      calls.set(account, { running: 0, most: 0 })
      const row = {
        account,
        shard: shardOf(account),
        name: 'Jane',
        email: 'me@example.com',
        backend,
        imap: sendOnly ? JSON.stringify({ disabled: true }) : null,
        oauth2: JSON.stringify({ provider: 'app', auth: { user: 'jane@mail.example' } }),
      }
      await fixture.db.insertInto('accounts').values(row).execute()
      return { account, model }
    },
    async [Symbol.asyncDispose]() {
      await credentials[Symbol.asyncDispose]()
      await fixture[Symbol.asyncDispose]()
    },
  }
}

/** Functions that put outbox rows into the states in which a dead sender leaves the rows. */
function interruptions(db: Db) {
  /** Leaves an outbox row as a sender does that dies in its first attempt. */
  async function leave(queueId: string, columns: { draft?: ApiDraft; intent?: boolean } = {}) {
    const { draft, intent = false } = columns
    const leaseUntil = past()
    await db
      .updateTable('outbox')
      .set({ worker: randomUUID(), attempts: 1, leaseUntil })
      .set({ dataSentAt: intent ? leaseUntil : null, nextAttemptAt: new Date(0) })
      .set({ providerDraft: draft ? JSON.stringify(draft) : null })
      .where('queueId', '=', queueId)
      .execute()
  }
  return {
    leave,
    /** Leaves a draft at the mail provider whose id was not committed. */
    orphan: async (model: MailApiModel, row: { account: string; queueId: string }) => {
      const { account, queueId } = row
      await deposit(model, queueId)
      await db
        .insertInto('draftCleanups')
        .values({ queueId, account, messageId: idOf(queueId), checkAt: past() })
        .execute()
      await leave(queueId)
    },
  }
}

/**
 * Makes all draft cleanups due immediately, whose waits last as long as leases. For cleanups of
 * ended attempts.
 */
async function makeCleanupsDue(db: Db): Promise<void> {
  await db.updateTable('draftCleanups').set({ checkAt: past() }).execute()
}

export const past = () => new Date(Date.now() - 1_000)

/** Message-ID of a test submission. */
export const idOf = (queueId: string) => `<${queueId}@example.com>`

/** Abort signal for mail API calls that no test aborts. */
export const { signal } = new AbortController()

/** Deposits the draft of a submission at a model of a mail API, as a sender does. */
export function deposit(model: MailApiModel, queueId: string): Promise<ApiDraft> {
  const mime = `To: you@example.net\r\nMessage-ID: ${idOf(queueId)}\r\n\r\nHello\r\n`
  return model.api.depositDraft(Buffer.from(mime), {}, signal)
}

interface CallFailure extends MailApiErrorOptions {
  method: keyof MailApi
  failure: MailApiFailure
  /** With `after`, the mail API call takes effect and its response is lost. Default: `before`. */
  phase?: 'before' | 'after'
}

/** Makes the next call of a mail API method fail. */
export function failCall(model: MailApiModel, call: CallFailure): void {
  const { method, failure, phase = 'before', ...options } = call
  let isLeft = true
  model.onCall = (point) => {
    if (!isLeft || point.method !== method || point.phase !== phase) return
    isLeft = false
    throw new MailApiError(failure, `model: ${failure}`, options)
  }
}

/** Drafts in a model mailbox of a mail API. */
export function draftsOf(model: MailApiModel) {
  return model.store.list().filter(({ flags }) => flags.draft)
}

/** Message-IDs of the messages that were sent from a model mailbox. */
export function sentIds(model: MailApiModel): string[] {
  return model.sending.sent.map((raw) => /^Message-ID: (.+)\r$/im.exec(raw.toString())?.[1] ?? '')
}

/** Number of mail API calls for an account: running now, and the most at a time. */
interface CallCount {
  running: number
  most: number
}

/** Client of a mail API that yields within each call and counts the calls that overlap. */
function counting(api: MailApi, count: CallCount): MailApi {
  return new Proxy(api, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        count.running += 1
        count.most = Math.max(count.running, count.most)
        try {
          await new Promise((resolve) => setImmediate(resolve))
          return await (member.apply(target, args) as Promise<unknown>)
        } finally {
          count.running -= 1
        }
      }
    },
  })
}
