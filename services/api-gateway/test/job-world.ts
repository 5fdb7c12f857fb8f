import type { Bus } from '@posthorn/bus'
import { on } from '@posthorn/bus'
import { syncAccount } from '@posthorn/contracts/commands/maintenance'
import { changeOutbox } from '@posthorn/contracts/commands/outbox'
import type { CommandRequest } from '@posthorn/contracts/define'
import { shardCount, shardOf } from '@posthorn/contracts/shards'
import type { Db } from '@posthorn/db'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import type { Call } from './gateway.ts'

/** Bulk job as the API shows it. */
export interface ShownJob {
  id: string
  state: string
  maxEntries: number | null
  total: number | null
  done: number
  failed: number
  skipped: number
  errors: { id: string; code: string | null; message: string }[]
  finishedAt: string | null
}

/** Timeout of a bulk job on a busy machine. */
const jobTimeout = { timeoutMs: 120_000 }

/** Calls of the operations on bulk jobs of one kind. */
export class JobCalls {
  readonly path: string
  readonly #call: Call

  constructor(call: Call, kind: 'accountJobs' | 'outboxJobs') {
    this.#call = call
    this.path = `/admin/api/${kind}`
  }

  async create(body: object): Promise<string> {
    const answer = await this.#call('POST', this.path, { body })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    return String(answer.body['id'])
  }

  async get(id: string): Promise<ShownJob> {
    return (await this.#call('GET', `${this.path}/${id}`)).body as unknown as ShownJob
  }

  /** Waits until a bulk job meets a condition. */
  until(id: string, condition: (job: ShownJob) => boolean): Promise<ShownJob> {
    return eventually(async () => {
      const job = await this.get(id)
      return condition(job) && job
    }, jobTimeout)
  }

  /** Waits until all actions of a bulk job have ended. */
  finished(id: string): Promise<ShownJob> {
    return this.until(id, ({ state }) => state === 'done')
  }

  async cancel(id: string) {
    return this.#call('DELETE', `${this.path}/${id}`)
  }
}

/** Inserts accounts in a state of the table `account_states`. */
export async function addAccounts(db: Db, accounts: readonly string[], state = 'connected') {
  const rows = accounts.map((account) => ({ account, shard: shardOf(account), name: account }))
  await db.insertInto('accounts').values(rows).execute()
  await sql`
    insert into account_states (account, state, initialized_at)
    select account, ${state}, now() from accounts where account = any(${accounts}::text[])
  `.execute(db)
}

/** Versions of accounts by id: 1 after the registration, and one more after each change. */
export async function versions(db: Db, prefix: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('accounts')
    .select(['account', 'version'])
    .where('account', 'like', `${prefix}%`)
    .execute()
  return new Map(rows.map(({ account, version }) => [account, Number(version)]))
}

/** Ids of accounts or submissions with a common prefix. */
export const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}-${String(n).padStart(4, '0')}`)

/** Inserts queued submissions of an account. */
export async function addSubmissions(db: Db, account: string, queueIds: readonly string[]) {
  const rows = queueIds.map((queueId) => ({
    queueId,
    account,
    shard: shardOf(account),
    source: 'api' as const,
    messageId: `<${queueId}@x.example>`,
    envelope: JSON.stringify({ from: 'a@x.example', to: ['b@x.example'] }),
    sendAt: new Date('2100-01-01'),
  }))
  await db.insertInto('outbox').values(rows).execute()
}

type OutboxRequest = CommandRequest<typeof changeOutbox>
type OutboxResult = 'done' | 'missing' | 'busy'

/** Fake of a sender, which records the commands. `reply` returns the result of a command. */
export async function serveSender(
  bus: Bus,
  reply: (request: OutboxRequest) => OutboxResult | Promise<OutboxResult>,
): Promise<OutboxRequest[]> {
  const commands: OutboxRequest[] = []
  const handler = on(changeOutbox, async (request) => {
    commands.push(request)
    return { result: await reply(request) }
  })
  await bus.serve({ queue: 'outbox', keys: ['outbox'], handlers: [handler] })
  return commands
}

/** Fake of a worker that holds all shards. Records the accounts that were synced. */
export async function serveWorker(bus: Bus): Promise<string[]> {
  const synced: string[] = []
  const handler = on(syncAccount, async ({ account }) => {
    synced.push(account)
    return { sync: true as const }
  })
  const keys = Array.from({ length: shardCount }, (_, shard) => `shard.${shard}`)
  await bus.serve({ queue: 'private', keys, handlers: [handler] })
  return synced
}
