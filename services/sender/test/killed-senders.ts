import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from '@jest/globals'
import type { StoredDraft } from '@posthorn/db'
import { eventually, faultSize, serviceProgram } from '@posthorn/testkit'
import { SeededRandom } from '@posthorn/testkit/mail-api-model'
import type { ProviderFake, ProviderFault } from '@posthorn/testkit/providers'
import type { apiFixture } from './api-fixture.ts'

export interface KilledSendersOptions {
  env: Record<string, string>
  /** Addresses of the provider fake by origins of the mail provider. */
  origins: Readonly<Record<string, string>>
  fake: Pick<ProviderFake, 'on'>
  /**
   * Operations of the mail provider at which a sender is killed, each twice: before the operation
   * takes effect, and after.
   */
  moments: readonly string[]
  /** Called with the path of the provider request at which a sender is killed. */
  onKill?: (path: string) => void
}

/** Maximum requests of an operation that pass between two kills of senders at this operation. */
const maxPassing = faultSize({ small: 1, full: 7 })

/** Host names of the provider fake, one for each of the two senders. */
const hosts = ['127.0.0.1', 'localhost']

/**
 * Runs two senders with a provider fake until `done` resolves. Each killed sender is started again.
 * Returns the kills that did not take place.
 */
export async function runKilledSenders(
  { env, origins, fake, moments, onKill }: KilledSendersOptions,
  done: () => Promise<void>,
): Promise<string[]> {
  const left = moments.flatMap((moment) => [`before ${moment}`, `after ${moment}`])
  const random = new SeededRandom(7)
  /**
   * Number of requests of an operation that still pass before the next kill of a sender at this
   * operation.
   */
  const skipped = new Map<string, number>()
  const running = new Map<string, ChildProcess>()
  const kill: ProviderFault = ({ operation, headers, path }) => {
    const sender = running.get(headers.host?.split(':')[0] ?? '')
    const phase = (['before', 'after'] as const).find((each) =>
      left.includes(`${each} ${operation}`),
    )
    const passing = skipped.get(operation) ?? 0
    if (!sender || !phase) return undefined
    skipped.set(operation, passing === 0 ? random.below(maxPassing + 1) : passing - 1)
    if (passing > 0) return undefined
    left.splice(left.indexOf(`${phase} ${operation}`), 1)
    sender.kill('SIGKILL')
    onKill?.(path)
    return phase === 'before' ? { kind: 'reset', phase } : undefined
  }
  const remove = fake.on('*', kill)
  const stop = Promise.withResolvers<void>()
  let isDone = false
  const run = async (host: string) => {
    while (!isDone) {
      const sender = startSender(env, mapped(origins, host))
      running.set(host, sender)
      const ended = once(sender, 'exit')
      await Promise.race([ended, stop.promise])
      sender.kill('SIGKILL')
      await ended
    }
  }
  const runs = Promise.all(hosts.map(run))
  try {
    await done()
  } finally {
    isDone = true
    stop.resolve()
    await runs
    remove()
  }
  return left
}

function mapped(origins: Readonly<Record<string, string>>, host: string): string {
  const pairs = Object.entries(origins).map(
    ([origin, fake]) => `${origin}=${fake.replace(hosts[0] ?? '', host)}`,
  )
  return pairs.join(',')
}

function startSender(env: Record<string, string>, origins: string): ChildProcess {
  return spawn(process.execPath, serviceProgram('sender'), {
    stdio: 'ignore',
    env: {
      ...env,
      SVC_SENDER_LEASE: '1500ms',
      SVC_SENDER_SWEEP: '150ms',
      SVC_PROVIDER_ORIGINS: origins,
      SVC_DATABASE_POOL_SIZE: '2',
    },
  })
}

/** Number of messages in one test with killed senders. */
export const messages = faultSize({ small: 40, full: 200 })

type Fixture = Awaited<ReturnType<typeof apiFixture>>

/** MIME source of a message with files of the sizes `fileSizes` in bytes. */
export function withFiles(fileSizes: readonly number[]): Buffer {
  const files = fileSizes.map((size) => {
    const type = 'Content-Type: application/octet-stream\r\nContent-Disposition: attachment'
    const text = Buffer.alloc(size, 'x').toString('base64')
    return `--b\r\n${type}; filename=f\r\nContent-Transfer-Encoding: base64\r\n\r\n${text}\r\n`
  })
  const type = 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b'
  return Buffer.from(`${type}\r\n\r\n--b\r\n\r\ntext\r\n${files.join('')}--b--\r\n`)
}

export interface Submissions {
  accounts: readonly string[]
  /** Content of the large message, which one submission in ten has. */
  large: Buffer
  /**
   * Stores a draft as the owner of an account's mailbox. One submission in five has such a draft.
   */
  storeDraft: (account: string, raw: Buffer) => StoredDraft
}

/** Submits messages to the accounts in turn. Returns the Message-IDs that are to be sent. */
export async function submitAll(
  fixture: Fixture,
  { accounts, large, storeDraft }: Submissions,
): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < messages; at++) {
    const account = accounts[at % accounts.length] ?? ''
    // The submission is inserted as waiting, so that its content can be replaced before a sender
    // claims it.
    const queueId = await fixture.waiting(account, { maxAttempts: 100 })
    ids.push(`<${queueId}@example.com>`)
    const head = 'From: a@mail.example\r\nTo: you@example.net\r\nMessage-ID: '
    const row = fixture.db.updateTable('outbox').where('queueId', '=', queueId)
    if (at % 5 === 0) {
      const messageIdHeader = `<draft-of-${queueId}@example.com>`
      const raw = Buffer.from(`${head}${messageIdHeader}\r\n\r\nstored\r\n`)
      const storedDraft = JSON.stringify({ ...storeDraft(account, raw), messageIdHeader })
      await row.set({ storedDraft }).execute()
      ids[at] = messageIdHeader
    }
    if (at % 10 < 9) continue
    const mime = Buffer.concat([Buffer.from(`${head}${ids.at(-1)}\r\n`), large])
    await row.set({ mime }).execute()
  }
  await fixture.db
    .updateTable('outbox')
    .set({ nextAttemptAt: new Date(0) })
    .where('account', 'in', accounts)
    .execute()
  return ids
}

/**
 * Waits until all messages are sent, each with its event, and no draft is left at the provider.
 * `drafts` returns the ids of the drafts. The query returns one unsent message, because each failed
 * comparison prints its values, and printing many messages takes much CPU time.
 */
export async function untilSent({ db }: Fixture, drafts: () => string[]): Promise<void> {
  const unsent = db.selectFrom('outbox').select('queueId').where('state', '<>', 'sent').limit(1)
  await eventually(async () => expect(await unsent.execute()).toEqual([]), { timeoutMs: 800_000 })
  await eventually(() => expect(drafts()).toEqual([]))
  const events = await db.selectFrom('events').select('event').execute()
  expect(events.filter(({ event }) => event === 'messageSent')).toHaveLength(messages)
}

/** Message-ID in the source of a message. */
export const idIn = (source: Buffer) =>
  /^Message-ID: (.+?)\r$/im.exec(source.toString('latin1'))?.[1] ?? ''
