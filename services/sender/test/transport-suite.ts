import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { Db } from '@posthorn/db'
import { createLogger } from '@posthorn/telemetry'
import { claimDue } from '../src/store/claims.ts'
import { markDataSent } from '../src/store/outbox.ts'
import { leaseOf, type Submission } from '../src/store/submission.ts'
import {
  PreAttemptError,
  RecordError,
  type SendOutcome,
  type Transport,
} from '../src/transports/transport.ts'
import type { NewSubmission } from './fixture.ts'

/** Fake mail server or provider of one account. Each setting applies to the next message. */
export interface SuiteServer {
  account: string
  /** Message-IDs of the messages that the fake mail server has accepted. */
  taken: () => string[]
  refuse: (kind: 'permanent' | 'temporary') => void
  /**
   * Loses the reply to the next message. With `isTaken`, the mail server has accepted the message;
   * otherwise the server has not.
   */
  loseReply: (isTaken: boolean) => void
  /** Makes the mail server refuse the recipient permanently. */
  refuseRecipient: (address: string) => void
  /** Makes the mail server stop forever at a step of sending. Resolves when the step is reached. */
  stopAt: (step: string) => Promise<void>
  /** Ends the connections of a sender that has ended. The mail server accepts later messages. */
  recover: () => Promise<void>
}

/** Transport of messages (SMTP or mail API) with its fake servers. The servers file sent mail. */
export interface TransportHarness {
  name: string
  byApi: boolean
  db: Db
  submit: (submission: NewSubmission) => Promise<string>
  /** Creates the message transport of a sender process that has just started. */
  start: () => Transport
  addServer: () => Promise<SuiteServer>
  /** Steps of sending a message at which a fake mail server can stop, in order. */
  steps: readonly string[]
  /** True if a mail server can accept a message for some of its recipients. */
  takesParts: boolean
}

type Call = 'intent' | 'reply' | 'accepted'

interface AttemptOverrides {
  transport?: Transport
  signal?: AbortSignal
  /** Function that replaces the commit of the intent record (`data_sent_at`). */
  commitIntent?: (commit: () => Promise<boolean>) => Promise<void>
}

const log = createLogger('test', 'silent')
const leaseMs = 60_000
/** Steps of a sending attempt in the sender process, which SMTP and mail APIs share. */
const ownSteps = ['before the intent record', 'after the intent record']
const to = ['you@example.net', 'other@example.net']

/** Conformance tests of the contract of `Transport`, for SMTP and mail APIs. */
export function transportSuite(harness: TransportHarness): void {
  const { name, db, byApi } = harness
  const title = (text: string) => `${name}: ${text}`
  const worker = randomUUID()

  async function begin(submission: Partial<NewSubmission> = {}) {
    const server = await harness.addServer()
    const queueId = await harness.submit({ account: server.account, to, ...submission })
    return { server, queueId, id: `<${queueId}@example.com>` }
  }

  /**
   * Claims the outbox row of a submission. An earlier sending attempt has ended, recorded or not.
   */
  async function claim(queueId: string): Promise<Submission> {
    const expired = new Date(Date.now() - 1_000)
    const row = await db
      .updateTable('outbox')
      .set({ leaseUntil: expired, nextAttemptAt: expired })
      .where('queueId', '=', queueId)
      .returning('account')
      .executeTakeFirstOrThrow()
    const candidates = [{ queueId, account: row.account, byApi }]
    const [submission] = await claimDue(db, candidates, { worker, dead: [], leaseMs })
    if (!submission) throw new Error('submission not claimed')
    return submission
  }

  async function attempt(queueId: string, overrides: AttemptOverrides = {}) {
    const submission = await claim(queueId)
    const calls: Call[] = []
    const { commitIntent = async (commit) => void (await commit()) } = overrides
    const sent: Promise<SendOutcome> = (overrides.transport ?? harness.start()).send(submission, {
      signal: overrides.signal ?? new AbortController().signal,
      log,
      commitIntent: async (accepted = submission.envelope.to) => {
        const recipients = accepted.length < submission.envelope.to.length ? accepted : null
        await commitIntent(async () => {
          const handover = { ...leaseOf(submission), recipients }
          const [isWritten = false] = await markDataSent(db, [handover], leaseMs)
          return isWritten
        })
        calls.push('intent')
      },
      onReply: () => void calls.push('reply'),
      onAccepted: () => void calls.push('accepted'),
    })
    return { outcome: await sent, calls }
  }

  test(title('accepted, for all recipients, after the intent record'), async () => {
    const { server, queueId, id } = await begin()
    const { outcome, calls } = await attempt(queueId)
    expect(outcome).toMatchObject({ kind: 'accepted', accepted: to, rejected: [] })
    expect([calls[0], calls.at(-1)]).toEqual(['intent', 'accepted'])
    expect(server.taken()).toEqual([id])
  })

  test(title('message refused permanently, is rejected'), async () => {
    const { server, queueId } = await begin()
    server.refuse('permanent')
    const { outcome, calls } = await attempt(queueId)
    expect(outcome).toMatchObject({ kind: 'rejected', failure: { code: expect.any(String) } })
    expect(calls).not.toContain('accepted')
    expect(server.taken()).toEqual([])
  })

  test(title('message refused temporarily, is deferred and accepted later'), async () => {
    const { server, queueId, id } = await begin()
    server.refuse('temporary')
    const { outcome } = await attempt(queueId)
    expect(outcome).toMatchObject({ kind: 'deferred', failure: { code: expect.any(String) } })
    expect(outcome).not.toHaveProperty('uncounted')
    expect((await attempt(queueId)).outcome.kind).toBe('accepted')
    expect(server.taken()).toEqual([id])
  })

  test(title('recipient refused, is reported or rejects the message'), async () => {
    const { server, queueId, id } = await begin()
    server.refuseRecipient('other@example.net')
    const { outcome } = await attempt(queueId)
    const partly = { accepted: ['you@example.net'], rejected: [{ recipient: 'other@example.net' }] }
    expect(outcome).toMatchObject(
      harness.takesParts ? { kind: 'accepted', ...partly } : { kind: 'rejected' },
    )
    expect(server.taken()).toEqual(harness.takesParts ? [id] : [])
  })

  test.each([true, false])(
    title('reply lost, message taken: %s, the outcome is unknown and the message sent once'),
    async (isTaken) => {
      const { server, queueId, id } = await begin()
      server.loseReply(isTaken)
      expect((await attempt(queueId)).outcome).toMatchObject({ kind: 'unknown' })
      expect(server.taken()).toEqual(isTaken ? [id] : [])
      const { outcome } = await attempt(queueId)
      expect(outcome).toMatchObject({ kind: 'accepted', accepted: to })
      expect(server.taken()).toEqual([id])
    },
  )

  test(
    title('attempt cancelled before the handover, is not counted and sends nothing'),
    async () => {
      const { server, queueId } = await begin()
      const { outcome, calls } = await attempt(queueId, { signal: AbortSignal.abort() })
      expect(outcome).toMatchObject({ kind: 'deferred', uncounted: true })
      expect(calls).toEqual([])
      expect(server.taken()).toEqual([])
    },
  )

  test(title('intent record not written, is not counted and sends nothing'), async () => {
    const { server, queueId } = await begin()
    const commitIntent = () => Promise.reject(new PreAttemptError('intent record not written'))
    const { outcome } = await attempt(queueId, { commitIntent })
    expect(outcome).toMatchObject({ kind: 'deferred', uncounted: true })
    expect(server.taken()).toEqual([])
  })

  test(title('lease lost, has no outcome and sends nothing'), async () => {
    const { server, queueId } = await begin()
    const commitIntent = () => Promise.reject(new RecordError('outbox lease lost'))
    await expect(attempt(queueId, { commitIntent })).rejects.toBeInstanceOf(RecordError)
    expect(server.taken()).toEqual([])
  })

  /**
   * Runs a sending attempt whose process ends at a step: nothing of the attempt happens after the
   * step.
   */
  async function endAt(step: string, server: SuiteServer, queueId: string): Promise<void> {
    const { promise: reached, resolve } = Promise.withResolvers<void>()
    const stop = () => {
      resolve()
      return new Promise<never>(() => undefined)
    }
    const commitIntent = async (commit: () => Promise<boolean>) => {
      if (step === ownSteps[0]) await stop()
      if (!(await commit())) throw new RecordError('outbox lease lost')
      if (step === ownSteps[1]) await stop()
    }
    if (!ownSteps.includes(step)) void server.stopAt(step).then(resolve)
    // The outcome of a sending attempt is not recorded if its process has ended.
    void attempt(queueId, { transport: harness.start(), commitIntent }).catch(() => undefined)
    await reached
    await server.recover()
  }

  const steps = [...harness.steps, ...ownSteps]
  test.each(steps)(title('process ends at %s, the message is sent once'), async (step) => {
    const { server, queueId, id } = await begin()
    await endAt(step, server, queueId)
    const { outcome } = await attempt(queueId)
    expect(outcome).toMatchObject({ kind: 'accepted', accepted: to })
    expect(server.taken()).toEqual([id])
  })

  test(
    title('process ends in the last attempt, the next one only looks for the message'),
    async () => {
      const { server, queueId } = await begin({ maxAttempts: 1 })
      await endAt('after the intent record', server, queueId)
      const { outcome } = await attempt(queueId)
      expect(outcome).toMatchObject({ failure: { code: 'EINTERRUPTED' } })
      expect(server.taken()).toEqual([])
    },
  )
}
