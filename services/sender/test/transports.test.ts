import { afterAll, afterEach } from '@jest/globals'
import { type MailApi, MailApiError, type MailApiFailure } from '@posthorn/backends/mail-api'
import { connectBus } from '@posthorn/bus'
import { cacheSettings } from '@posthorn/db'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { startSmtpScript } from '@posthorn/testkit'
import type { MailApiModel } from '@posthorn/testkit/mail-api-model'
import { readConfig } from '../src/config.ts'
import { MailApiTransport } from '../src/transports/mail-api/mail-api-transport.ts'
import { SmtpTransport } from '../src/transports/smtp/smtp-transport.ts'
import { apiFixture, sentIds } from './api-fixture.ts'
import { mailboxWorker } from './mailbox-worker.ts'
import { type SuiteServer, transportSuite } from './transport-suite.ts'

// Runs the conformance suite of transports, whose cases contain the assertions, for SMTP and for
// mail APIs.

const fixture = await apiFixture()
const { db, submit, models } = fixture
const worker = await mailboxWorker(fixture.broker.url)
const log = createLogger('test', 'silent')
const bus = await connectBus({
  url: fixture.broker.url,
  name: 'test',
  log,
  metrics: createMetrics('test'),
})
await bus.whenUp()
const config = readConfig(fixture.env({ SVC_SENDER_FIND_SENT_TIMEOUT: '10s' }))
const started: AsyncDisposable[] = []
afterEach(async () => {
  for (const part of started.splice(0).reverse()) await part[Symbol.asyncDispose]()
})
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await worker[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

/** Message-IDs that the scripted mail servers have accepted, by account. */
const taken = new Map<string, () => string[]>()
// The mail servers file sent mail in the Sent mailbox immediately.
worker.replies.find = async ({ account, messageId }) =>
  taken.get(account)?.().includes(messageId) === true

async function smtpServer(): Promise<SuiteServer> {
  const server = await startSmtpScript()
  started.push({ [Symbol.asyncDispose]: () => server.close() })
  const account = await fixture.addSmtpAccount(server)
  const imap = JSON.stringify({ host: 'imap.example.com', port: 993 })
  await db
    .updateTable('accounts')
    .set({ imap, copy: false })
    .where('account', '=', account)
    .execute()
  await worker.serve(account)
  const ids = () => server.accepted.map(({ messageId }) => messageId)
  taken.set(account, ids)
  const { behaviour } = server
  return {
    account,
    taken: ids,
    refuse: (kind) => {
      const code = kind === 'permanent' ? 554 : 451
      behaviour.onData = () => {
        delete behaviour.onData
        return { code, text: 'not now' }
      }
    },
    loseReply: (isTaken) => {
      behaviour.onData = () => {
        delete behaviour.onData
        return isTaken ? 'drop' : 'drop-unkept'
      }
    },
    refuseRecipient: (refused) => {
      behaviour.onRecipient = (address) =>
        address === refused ? { code: 550, text: '5.1.1 unknown' } : undefined
    },
    stopAt: (step) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const [moment, phase] = step.split(' ') as ['MAIL' | 'RCPT' | 'DATA' | 'dot', string?]
      server.on(moment, async ({ defaultReply }) => {
        if (phase === 'after') await defaultReply()
        resolve()
        return []
      })
      return promise
    },
    recover: async () => {
      await server.close()
      for (const moment of ['MAIL', 'RCPT', 'DATA', 'dot'] as const) server.on(moment, undefined)
      await server.open()
    },
  }
}

transportSuite({
  name: 'SmtpTransport',
  byApi: false,
  db,
  submit,
  steps: ['MAIL', 'RCPT', 'DATA', 'dot before', 'dot after'],
  takesParts: true,
  addServer: smtpServer,
  start: () => {
    const unsealLogin = (login: string) => Promise.resolve(login)
    const settings = cacheSettings(db)
    const transport = new SmtpTransport({
      ...config,
      bus,
      unsealLogin,
      settings,
      limits: config.smtp,
    })
    started.push(transport)
    return transport
  },
})

type Step = (call: `${string} ${'before' | 'after'}`) => Promise<void>
/** Functions that are called around each mail API call, by account. */
const onStep = new Map<string, Step>()

/** Mail API client that stops at the steps that a test has set for the account. */
function stoppable(account: string, api: MailApi): MailApi {
  const steps = onStep.get(account)
  return new Proxy(api, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        await steps?.(`${String(key)} before`)
        const result: unknown = await member.apply(target, args)
        await steps?.(`${String(key)} after`)
        return result
      }
    },
  })
}

async function apiServer(): Promise<SuiteServer> {
  const { account, model } = await fixture.addAccount({ backend: 'graph' })
  const fail = (failure: MailApiFailure, ...calls: string[]) => failCalls(model, failure, calls)
  return {
    account,
    taken: () => sentIds(model),
    refuse: (kind) =>
      fail(kind === 'permanent' ? 'refused' : 'access-denied', 'releaseDraft before'),
    // The search for the draft fails as well as the request that sends the draft. Otherwise, the
    // result of the search would be the outcome of the sending attempt.
    loseReply: (isTaken) =>
      isTaken
        ? fail('unavailable', 'releaseDraft after', 'findDrafts before')
        : fail('unavailable', 'releaseDraft before'),
    refuseRecipient: () => fail('invalid-recipients', 'releaseDraft before'),
    stopAt: (step) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      onStep.set(account, (call) => {
        if (call !== step) return Promise.resolve()
        resolve()
        return new Promise<never>(() => undefined)
      })
      return promise
    },
    recover: async () => void onStep.delete(account),
  }
}

/**
 * Makes mail API calls fail at points such as `releaseDraft before`, once at each point and in
 * order.
 */
function failCalls(model: MailApiModel, failure: MailApiFailure, calls: string[]): void {
  const left = [...calls]
  model.onCall = ({ method, phase }) => {
    if (left[0] !== `${method} ${phase}`) return
    left.shift()
    throw new MailApiError(failure, `model: ${failure}`)
  }
}

transportSuite({
  name: 'MailApiTransport',
  byApi: true,
  db,
  submit,
  steps: [
    'depositDraft before',
    'depositDraft after',
    'releaseDraft before',
    'releaseDraft after',
    'findSent before',
    'findSent after',
  ],
  takesParts: false,
  addServer: apiServer,
  start: () => {
    const graph = ({ account }: { account: string }) => {
      const model = models.get(account)
      if (!model) throw new Error(`no model of ${account}`)
      return stoppable(account, model.api)
    }
    return new MailApiTransport({ ...config, db, bus, mailApis: { graph } })
  },
})
