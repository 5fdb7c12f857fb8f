import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { MailApi, MailApiAccess, MailApiUse } from '@posthorn/backends/mail-api'
import { getMessage, listMessages } from '@posthorn/contracts/commands/messages'
import { syncAccount } from '@posthorn/contracts/commands/maintenance'
import { updateMessages } from '@posthorn/contracts/commands/message-changes'
import { AppError } from '@posthorn/errors'
import { eventually } from '@posthorn/testkit'
import { SeededRandom } from '@posthorn/testkit/mail-api-model'
import { formFaults, RandomFaults } from '@posthorn/testkit/providers'
import { flagNames } from '../src/drivers/api/events/feed-events.ts'
import { FolderNames } from '../src/drivers/api/events/folder-names.ts'
import { type FuzzedMailbox, fuzzedGmail, fuzzedGraph } from './feeds/fuzzed-mailbox.ts'
import { FuzzView } from './feeds/fuzz-view.ts'
import { testWorld, type World } from './world.ts'

// A whole worker while the responses of the fakes are broken. TEST_SEED selects the changes and the
// broken responses, TEST_STEPS sets the rounds. The worker's polls and commands come at any time,
// so that a seed repeats a run only almost. `provider-fuzz.test.ts` has more rounds, without
// Postgres.

const seed = Number(process.env['TEST_SEED'] ?? 1)
const rounds = Number(process.env['TEST_STEPS'] ?? 6)

/** Timeout for a first sync, or for the last sync passes of four accounts, on a busy machine. */
const patient = { timeoutMs: 240_000 }

/**
 * Faults of the provider's responses in this test. Rate limits are left out, because a rate limit
 * without a time ends only after a minute.
 */
const kinds = [...formFaults.filter((kind) => kind !== 'limit'), 'reset' as const]

let world: World
beforeAll(async () => {
  world = await testWorld()
})
afterAll(() => world.close())

/** Account with a mailbox whose responses are broken at times. */
class FuzzedAccount {
  readonly faults: RandomFaults
  readonly #account: string
  readonly #mailbox: FuzzedMailbox
  readonly #random: SeededRandom
  readonly #view = new FuzzView()
  /** Ids of messages that were moved or deleted since the last comparison. */
  readonly #left = new Set<string>()
  #serial = 0
  /** Number of sync passes that have begun to read the feeds (lists of changes). */
  #passes = 0

  constructor(account: string, mailbox: FuzzedMailbox, seed: number) {
    this.#account = account
    this.#mailbox = mailbox
    this.#random = new SeededRandom(seed)
    this.faults = new RandomFaults(seed, mailbox.nullable)
    mailbox.server.on('*', this.faults.apply)
  }

  /** Creates the mail API client of the worker, which counts the sync passes. */
  createApi(use: MailApiUse): MailApi {
    const api = this.#mailbox.createApi(use)
    return {
      ...api,
      feeds: (folders) => {
        this.#passes++
        return api.feeds(folders)
      },
    }
  }

  /**
   * Waits for the first sync, then records the messages of the mailbox as known to the client
   * without events.
   */
  async start(): Promise<void> {
    await eventually(() => world.connected(this.#account), patient)
    this.#view.skip(await this.#events())
    for (const { id, ...message } of await this.#visible()) this.#view.messages.set(id, message)
  }

  /**
   * Changes the mailbox and sends commands while responses of the provider are broken. The worker
   * continues to sync meanwhile.
   */
  async disturb(): Promise<void> {
    const { server } = this.#mailbox
    const probability = [0.2, 0.5, 1][this.#random.below(3)] ?? 1
    this.faults.start({ kinds, probability, repeats: 1 + this.#random.below(6) })
    for (let step = 2 + this.#random.below(5); step > 0; step--) {
      this.#change()
      await this.#command()
      const { length } = server.log
      await eventually(() => server.log.length > length)
    }
    this.faults.stop()
  }

  /**
   * Waits until the account is connected, and the events describe the mailbox. A pass may have read
   * the mailbox before its last changes, and reports these messages when the pass ends. Therefore
   * two passes must have begun: the first of them has ended then.
   */
  async settle(): Promise<void> {
    const passes = this.#passes
    await eventually(async () => {
      expect(await world.state(this.#account)).toMatchObject({ state: 'connected' })
      // Ends the delays of folders that were refused.
      await world.ask(syncAccount, this.#account, {})
      expect(this.#passes).toBeGreaterThan(passes + 1)
      await this.#applyEvents().catch(() => undefined)
      if (this.#view.failure) return
      const ofEvents = [...this.#view.messages].map(([id, state]) => ({ id, ...state }))
      expect(new Set(ofEvents)).toEqual(new Set(await this.#visible()))
    }, patient)
    if (this.#view.failure) throw this.#view.failure
    this.#left.clear()
    if (this.#mailbox.provider === 'gmail')
      for (const [id, count] of this.#view.announcements) expect([id, count]).toEqual([id, 1])
  }

  #change(): void {
    const isDelivery = this.#random.happens(this.#mailbox.isFull() ? 0.2 : 0.5)
    if (isDelivery) this.#mailbox.deliver(`s${++this.#serial}`, this.#random)
    else for (const id of this.#mailbox.change(this.#random)) this.#left.add(id)
  }

  /** Sends a random command about a message. The command must either succeed completely or fail. */
  async #command(): Promise<void> {
    const states = this.#mailbox.states()
    const state = states[this.#random.below(states.length)]
    if (!state) return
    const command = this.#random.below(3)
    try {
      if (command === 0) {
        const message = await world.ask(getMessage, this.#account, { message: state.id })
        expect(message).toMatchObject({ id: state.id, subject: state.subject })
      } else if (command === 1) {
        const request = { path: '\\Inbox', page: 0, pageSize: 1_000 }
        const { messages } = await world.ask(listMessages, this.#account, request)
        const inbox = new Set(this.#mailbox.inbox())
        expect(new Set(messages.map(({ id }) => id))).toEqual(inbox)
      } else {
        const flag = state.flags.flagged ? 'delete' : 'add'
        const update = { flags: { [flag]: ['\\Flagged'] } }
        const scope = { path: '\\Inbox', search: { emailIds: [state.id] } }
        const { emailIds } = await world.ask(updateMessages, this.#account, { ...scope, update })
        const after = this.#mailbox.states().find(({ id }) => id === state.id)
        if (emailIds?.includes(state.id)) expect(after?.flags.flagged).toBe(!state.flags.flagged)
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }

  async #applyEvents(): Promise<void> {
    const ids = new Set(this.#mailbox.states().map(({ id }) => id))
    const mayLeave = (id: string) => this.#left.has(id)
    const exists = (id: string) => ids.has(id)
    this.#view.applyNew(await this.#events(), { mayLeave, exists })
  }

  /** Recorded events of the account about messages and mailboxes. */
  async #events() {
    const events = await world.events(this.#account)
    return events.filter(({ event }) => /^(?:message|mailbox)/.test(event))
  }

  /** Messages of the mailbox at the fake provider, described as in events. */
  async #visible() {
    const api = this.#mailbox.createApi()
    const folders = await api.folders(new AbortController().signal)
    const names = new FolderNames(api.traits.placement, folders)
    return this.#mailbox.states().map(({ id, place, flags, labels }) => ({
      id,
      path: place,
      flags: flagNames(flags),
      labels: names.labelsOf(labels),
    }))
  }
}

test(`worker: broken responses of providers, seed ${seed}: accounts are connected and synced afterwards`, async () => {
  const random = new SeededRandom(seed)
  await using stack = new AsyncDisposableStack()
  const accounts = new Map<string, FuzzedAccount>()
  const createClient = ({ account }: MailApiAccess, use: MailApiUse) => {
    const fuzzed = accounts.get(account)
    if (!fuzzed) throw new Error(`no mailbox of ${account}`)
    return fuzzed.createApi(use)
  }
  const createMailApis = () => ({ gmail: createClient, graph: createClient })
  await world.startWorker({ apiPollMs: 100 }, { createMailApis })
  for (const open of [fuzzedGmail, fuzzedGraph, fuzzedGmail, fuzzedGraph]) {
    const mailbox = stack.use(await open(new Date()))
    for (let count = 0; count < 8; count++) mailbox.deliver(`old ${count}`, random, 1_000)
    const account = world.newId()
    accounts.set(account, new FuzzedAccount(account, mailbox, random.below(1_000_000)))
    const notifyFrom = new Date(mailbox.clock.now - 1_000)
    await world.registerApi(mailbox.provider, { account, user: 'jane@mail.example', notifyFrom })
  }
  const all = [...accounts.values()]
  await Promise.all(all.map((account) => account.start()))
  for (let round = 1; round <= rounds; round++)
    await Promise.all(
      all.map(async (account, at) => {
        try {
          await account.disturb()
          await account.settle()
        } catch (cause) {
          const broken = account.faults.broken.join('\n  ')
          const place = `seed ${seed}, round ${round}, account ${at}`
          throw new Error(`${place}, after\n  ${broken}`, { cause })
        }
      }),
    )
  await world.reset()
}, 1_200_000)
