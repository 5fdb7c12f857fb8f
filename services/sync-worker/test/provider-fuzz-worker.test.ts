import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { MailApiAccess, MailApiUse } from '@posthorn/backends/mail-api'
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

// A whole worker while the responses of the fakes are broken. TEST_SEED selects the faults,
// TEST_STEPS sets the rounds. Concurrent requests get the faults in the order of their arrival, so
// a seed does not repeat a run exactly. `provider-fuzz.test.ts` has more rounds, without Postgres.

const seed = Number(process.env['TEST_SEED'] ?? 1)
const rounds = Number(process.env['TEST_STEPS'] ?? 6)

/** A rate limit without a time ends a minute later. */
const kinds = [...formFaults.filter((kind) => kind !== 'limit'), 'reset' as const]

const escaped: unknown[] = []
const recordError = (error: unknown) => void escaped.push(error)
let world: World
beforeAll(async () => {
  process.on('unhandledRejection', recordError).on('uncaughtException', recordError)
  world = await testWorld()
})
afterAll(async () => {
  await world.close()
  process.off('unhandledRejection', recordError).off('uncaughtException', recordError)
})

/** Account with a mailbox whose responses are broken at times. */
class FuzzedAccount {
  readonly faults: RandomFaults
  readonly #account: string
  readonly #mailbox: FuzzedMailbox
  readonly #random: SeededRandom
  readonly #view = new FuzzView()
  readonly #left = new Set<string>()
  #serial = 0

  constructor(account: string, mailbox: FuzzedMailbox, random: SeededRandom) {
    this.#account = account
    this.#mailbox = mailbox
    this.#random = random
    this.faults = new RandomFaults(random, mailbox.nullable)
    mailbox.server.on('*', this.faults.apply)
  }

  /** Takes the mailbox after the first sync as known. */
  async start(): Promise<void> {
    await world.connected(this.#account)
    this.#view.skip(await this.#events())
    for (const { id, flags, labels } of await this.#visible())
      this.#view.messages.set(id, { flags, labels })
  }

  /** Changes and commands while responses are broken, until all defects of the plan are used. */
  async disturb(): Promise<void> {
    const count = 5 + this.#random.below(20)
    this.faults.broken.length = 0
    this.faults.plan = { kinds, probability: [0.2, 0.5, 1][this.#random.below(3)] ?? 1, count }
    while (this.faults.plan.count > 0) {
      const before = this.faults.broken.length
      this.#change()
      await this.#command()
      await eventually(() => this.faults.broken.length > before)
    }
    this.faults.plan = undefined
  }

  /** Waits until the account is connected, and the events describe the mailbox. */
  async settle(): Promise<void> {
    await eventually(
      async () => {
        const row = await world.state(this.#account)
        expect(row).toMatchObject({ state: 'connected' })
        // Ends the delays of folders that were refused.
        await world.ask(syncAccount, this.#account, {})
        await this.#applyEvents().catch(() => undefined)
        if (this.#view.failure) return
        const ofEvents = [...this.#view.messages].map(([id, state]) => ({ id, ...state }))
        expect(new Set(ofEvents)).toEqual(new Set(await this.#visible()))
      },
      { timeoutMs: 60_000 },
    )
    if (this.#view.failure) throw this.#view.failure
    this.#left.clear()
    if (this.#mailbox.provider === 'gmail')
      for (const [id, count] of this.#view.announcements) expect([id, count]).toEqual([id, 1])
  }

  #change(): void {
    if (this.#random.happens(0.5)) this.#mailbox.deliver(`s${++this.#serial}`, this.#random)
    else for (const id of this.#mailbox.change(this.#random)) this.#left.add(id)
  }

  /** A command succeeds completely, or fails. */
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

  /** Events about messages and mailboxes. */
  async #events() {
    const events = await world.events(this.#account)
    return events.filter(({ event }) => /^(?:message|mailbox)/.test(event))
  }

  /** State of the mailbox, as events describe it. */
  async #visible() {
    const api = this.#mailbox.createApi()
    const folders = await api.folders(new AbortController().signal)
    const names = new FolderNames(api.traits.placement, folders)
    return this.#mailbox.states().map(({ id, flags, labels }) => ({
      id,
      flags: flagNames(flags),
      labels: names.labelsOf(labels),
    }))
  }
}

test(`worker: broken responses of providers, seed ${seed}: accounts are connected and synced afterwards`, async () => {
  const random = new SeededRandom(seed)
  await using stack = new AsyncDisposableStack()
  const mailboxes = new Map<string, FuzzedMailbox>()
  const createClient = ({ account }: MailApiAccess, use: MailApiUse) => {
    const mailbox = mailboxes.get(account)
    if (!mailbox) throw new Error(`no mailbox of ${account}`)
    return mailbox.createApi(use)
  }
  const createMailApis = () => ({ gmail: createClient, graph: createClient })
  await world.startWorker({ apiPollMs: 100 }, { createMailApis })
  const accounts: FuzzedAccount[] = []
  for (const open of [fuzzedGmail, fuzzedGraph, fuzzedGmail, fuzzedGraph]) {
    const mailbox = stack.use(await open(new Date()))
    for (let count = 0; count < 8; count++) mailbox.deliver(`old ${count}`, random, 1_000)
    const account = crypto.randomUUID()
    mailboxes.set(account, mailbox)
    const notifyFrom = new Date(mailbox.clock.now - 1_000)
    await world.registerApi(mailbox.provider, { account, user: 'jane@mail.example', notifyFrom })
    const seeded = new SeededRandom(random.below(1_000_000))
    accounts.push(new FuzzedAccount(account, mailbox, seeded))
  }
  await Promise.all(accounts.map((account) => account.start()))
  for (let round = 1; round <= rounds; round++)
    await Promise.all(
      accounts.map(async (account, at) => {
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
  expect(escaped).toEqual([])
}, 600_000)
