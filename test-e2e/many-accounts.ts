import { eventually } from '@posthorn/testkit'
import { type Part, startPart } from './bench/start-part.ts'
import type { WorldAccess } from './world.ts'

/**
 * Accounts at an IMAP server in memory. Two cores can carry the load of these accounts beside the
 * whole system.
 */
export interface ManyAccounts extends AsyncDisposable {
  readonly server: Part
  readonly accounts: readonly string[]
}

const registrations = 16

/** Starts the IMAP server, registers the accounts and waits until all accounts are connected. */
export async function connectManyAccounts(
  { posthorn }: Pick<WorldAccess, 'posthorn'>,
  count: number,
): Promise<ManyAccounts> {
  await using stack = new AsyncDisposableStack()
  const many = stack.use(await registerManyAccounts({ posthorn }, count))
  await eventually(
    async () => {
      const connected = await countConnected({ posthorn })
      if (connected < count) throw new Error(`${connected} of ${count} are connected`)
    },
    { timeoutMs: 600_000 },
  )
  const resources = stack.move()
  return { ...many, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Starts the IMAP server and registers the accounts. With `secure`, the accounts use TLS. */
export async function registerManyAccounts(
  { posthorn }: Pick<WorldAccess, 'posthorn'>,
  count: number,
  { secure = false } = {},
): Promise<ManyAccounts> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startPart('imap-script-main.ts', secure ? ['secure'] : []))
  const accounts = Array.from({ length: count }, (_, n) => `many-${n}`)
  const waiting = [...accounts]
  const register = async () => {
    for (let account = waiting.pop(); account !== undefined; account = waiting.pop()) {
      const body = registration(account, server.port, secure)
      await eventually(() => posthorn.createAccount({ body }))
    }
  }
  await Promise.all(Array.from({ length: registrations }, register))
  const resources = stack.move()
  return { server, accounts, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Number of the registered accounts that are connected. */
async function countConnected({ posthorn }: Pick<WorldAccess, 'posthorn'>): Promise<number> {
  const query = { state: 'connected', query: 'many-', pageSize: 1 } as const
  return (await posthorn.listAccounts(query)).total
}

function registration(account: string, port: number, secure: boolean) {
  const auth = { user: account, pass: 'secret' }
  const tls = { requireStartTls: false, rejectUnauthorized: false }
  const imap = { host: '127.0.0.1', port, secure, auth, tls, resyncDelay: 900 }
  return { account, name: 'Jane Doe', email: `${account}@mail.test`, imap }
}

/** API path of the list of messages of an account. */
export function messagesPath(account: string): string {
  return `/v1/account/${account}/messages?path=INBOX`
}

/** Copy of a list in random order. */
export function shuffled<T>(list: readonly T[]): T[] {
  const order = list.map((value) => ({ value, at: Math.random() }))
  return order.toSorted((a, b) => a.at - b.at).map(({ value }) => value)
}
