import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { eventually } from '@posthorn/testkit'
import type { WorkerApp } from '../src/app.ts'
import { ImapClient, mail } from './imap-client.ts'
import { type Content, flagsOf, type Replayed, replay } from './replay.ts'
import { testWorld, type World } from './world.ts'

// Random histories: the replayed events equal the content of the mailboxes. TEST_SEED repeats a
// history, TEST_STEPS sets its length.

const steps = Number(process.env['TEST_STEPS'] ?? 60)
const seeds = process.env['TEST_SEED'] ? [Number(process.env['TEST_SEED'])] : [1, 2, 3]

let world: World
beforeAll(async () => {
  world = await testWorld()
})
afterAll(() => world.close())

/** Random numbers that are equal in every run with the same seed (mulberry32). */
function randomOf(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { below, pick: <T>(from: readonly T[]): T => from[below(from.length)] as T }
}

/** User who changes mailboxes at random. */
class Person {
  readonly #client: ImapClient
  readonly #random: ReturnType<typeof randomOf>
  readonly folders = ['INBOX', 'Sent', 'Junk']
  #made = 0

  constructor(client: ImapClient, random: ReturnType<typeof randomOf>) {
    this.#client = client
    this.#random = random
  }

  async act(): Promise<string> {
    const folder = this.#random.pick(this.folders)
    const action = this.#random.below(20)
    if (action < 7) return this.#append(folder)
    if (action < 11) return this.#store(folder)
    if (action < 13) return this.#expunge(folder)
    if (action < 16) return this.#move(folder, this.#random.pick(this.folders))
    if (action < 17) return this.create()
    const own = this.folders.filter((path) => path.startsWith('F'))
    if (own.length === 0) return this.create()
    const path = this.#random.pick(own)
    if (action === 17) return this.#rename(path)
    if (action === 18) return this.#recreate(path)
    return this.#delete(path)
  }

  async #append(folder: string): Promise<string> {
    const flags = this.#random.pick(['', '\\Seen', '\\Seen \\Flagged', '$Label'])
    const count = 1 + this.#random.below(3)
    for (let n = 0; n < count; n++)
      await insist(() => this.#client.append(folder, mail(), { flags }))
    return `append ${count} to ${folder}`
  }

  async #uids(folder: string): Promise<number[]> {
    await this.#client.run(`SELECT ${folder}`)
    const [line = ''] = (await this.#client.run('UID SEARCH ALL')).filter((untagged) =>
      untagged.startsWith('* SEARCH'),
    )
    return line.split(' ').slice(2).map(Number)
  }

  async #store(folder: string): Promise<string> {
    const uids = await this.#uids(folder)
    if (uids.length === 0) return this.#append(folder)
    const uid = this.#random.pick(uids)
    const change = this.#random.pick(['+', '-'])
    const flag = this.#random.pick(['\\Seen', '\\Flagged', '\\Answered', '$Label', '$Other'])
    await this.#client.run(`UID STORE ${uid}:* ${change}FLAGS (${flag})`)
    return `${change}${flag} for ${folder} from ${uid}`
  }

  async #expunge(folder: string): Promise<string> {
    const uids = await this.#uids(folder)
    if (uids.length === 0) return this.#append(folder)
    const uid = this.#random.pick(uids)
    await this.#client.run(`UID STORE ${uid} +FLAGS (\\Deleted)`)
    await this.#client.run(`UID EXPUNGE ${uid}`)
    return `expunge ${folder} ${uid}`
  }

  async #move(from: string, to: string): Promise<string> {
    const uids = await this.#uids(from)
    if (uids.length === 0 || from === to) return this.#append(to)
    const uid = this.#random.pick(uids)
    await this.#client.run(`UID MOVE ${uid}:* ${to}`)
    return `move ${from} from ${uid} to ${to}`
  }

  async create(): Promise<string> {
    const path = `F${++this.#made}`
    await this.#client.run(`CREATE ${path}`)
    this.folders.push(path)
    return `create ${path}`
  }

  async #rename(path: string): Promise<string> {
    const to = `F${++this.#made}`
    await this.#client.run('UNSELECT').catch(() => {})
    await this.#client.run(`RENAME ${path} ${to}`)
    this.folders.splice(this.folders.indexOf(path), 1, to)
    return `rename ${path} to ${to}`
  }

  /**
   * Recreates a mailbox: another UIDVALIDITY under the same path. Dovecot 2.3 sometimes marks the
   * new mailbox as deleted while another session has the old mailbox open. Such a mailbox rejects
   * each APPEND, so that it is deleted and created again.
   */
  async #recreate(path: string): Promise<string> {
    await this.#client.run('UNSELECT').catch(() => {})
    await insist(async () => {
      await this.#remove(path)
      await this.#client.run(`CREATE ${path}`)
      await this.#client.append(path, mail())
    })
    return `recreate ${path}`
  }

  async #remove(path: string): Promise<void> {
    await this.#client.deleteMailbox(path)
  }

  async #delete(path: string): Promise<string> {
    await this.#client.run('UNSELECT').catch(() => {})
    await this.#remove(path)
    this.folders.splice(this.folders.indexOf(path), 1)
    return `delete ${path}`
  }
}

/** Dovecot sometimes rejects a deletion while another session has selected the mailbox. */
function insist(work: () => Promise<void>): Promise<void> {
  return eventually(() => work().then(() => true)).then(() => undefined)
}

async function contentOf(client: ImapClient): Promise<Content> {
  const content: Content = new Map()
  for (const line of await client.run('LIST "" *')) {
    const path = /^\* LIST \([^)]*\) "." "?(.*?)"?$/.exec(line)?.[1]
    if (path === undefined) continue
    await client.run(`EXAMINE ${path}`)
    const messages = new Map<number, string>()
    for (const fetched of await client.run('UID FETCH 1:* (UID FLAGS)')) {
      const [, uid, flags = ''] = /UID (\d+) FLAGS \(([^)]*)\)/.exec(fetched) ?? []
      if (uid !== undefined) messages.set(Number(uid), flagsOf(flags.split(' ').filter(Boolean)))
    }
    content.set(path, messages)
  }
  return content
}

function expectSame({ content, relisted }: Replayed, truth: Content): void {
  expect([...content.keys()].sort()).toEqual([...truth.keys()].sort())
  for (const [path, messages] of truth) {
    const stored = content.get(path) ?? new Map<number, string>()
    // After a reset of a mailbox (new message ids), events describe later changes only.
    const expected = relisted.has(path)
      ? new Map([...messages].filter(([uid]) => stored.has(uid)))
      : messages
    expect({ path, messages: sorted(stored) }).toEqual({ path, messages: sorted(expected) })
  }
}

function sorted(messages: ReadonlyMap<number, string>): [number, string][] {
  return [...messages].sort(([a], [b]) => a - b)
}

/**
 * Describes the stored state of an account, the lease of its shard, and all workers, for a failed
 * test.
 */
async function describeState(account: string) {
  const { db } = world
  const shard = shardOf(account)
  const lease = await db.selectFrom('shards').selectAll().where('shard', '=', shard).execute()
  const workers = await db.selectFrom('workers').selectAll().execute()
  return { state: await world.state(account), lease, workers }
}

test.each(seeds)(
  'history %i, replayed from its events, is what the mailbox holds',
  async (seed) => {
    const random = randomOf(seed)
    const user = world.dovecot.freshUser('unlisted')
    const account = await world.register(user, { notifyFrom: new Date(0) })
    await using client = await ImapClient.login(user)
    const person = new Person(client, random)
    const history: string[] = []
    const stored = async () => replay(await world.events(account))
    // Dovecot 2.3 sometimes reports an outdated mailbox list to an IMAP session until the list
    // changes again.
    const catchUp = async () => {
      let looks = 0
      await eventually(
        async () => {
          if (++looks % 20 === 0) history.push(await person.create())
          await using reader = await ImapClient.login(user)
          expectSame(await stored(), await contentOf(reader))
        },
        { timeoutMs: 90_000 },
      )
    }
    let worker: WorkerApp | undefined = await world.startWorker()
    for (let step = 0; step < steps; step++) {
      history.push(await person.act())
      const pause = random.below(12)
      if (pause === 0 && worker) await world.stopWorker(worker).then(() => (worker = undefined))
      else if (pause < 3) worker ??= await world.startWorker()
      if (pause === 3 && worker) await catchUp()
    }
    worker ??= await world.startWorker()
    await catchUp().catch(async (error: unknown) => {
      const state = JSON.stringify(await describeState(account))
      throw new Error(`${state}\n${history.join('\n')}`, { cause: error })
    })
    await world.stopWorker(worker)
  },
)
