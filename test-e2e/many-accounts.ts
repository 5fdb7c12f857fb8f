import { operations } from '@posthorn/contracts/operations'
import { eventually } from '@posthorn/testkit'
import { type Part, startPart } from './bench/start-part.ts'
import type { WorldAccess } from './world.ts'

/** Accounts of one IMAP server in memory, which two cores carry beside the whole system. */
export interface ManyAccounts extends AsyncDisposable {
  readonly server: Part
  readonly accounts: readonly string[]
}

const registrations = 16

/** Starts the server, registers the accounts and waits until all are connected. */
export async function connectManyAccounts(
  { client }: Pick<WorldAccess, 'client'>,
  count: number,
): Promise<ManyAccounts> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startPart('imap-script-main.ts'))
  const accounts = Array.from({ length: count }, (_, n) => `many-${n}`)
  const waiting = [...accounts]
  const register = async () => {
    for (let account = waiting.pop(); account !== undefined; account = waiting.pop()) {
      const body = registration(account, server.port)
      await eventually(async () => {
        const { status } = await client.call(operations.createAccount, { body })
        if (status !== 200) throw new Error(`registering ${account}: ${status}`)
      })
    }
  }
  await Promise.all(Array.from({ length: registrations }, register))
  await eventually(
    async () => {
      const query = { state: 'connected', query: 'many-', pageSize: 1 } as const
      const { body } = await client.call(operations.listAccounts, { query })
      if (body.total < count) throw new Error(`${body.total} of ${count} are connected`)
    },
    { timeoutMs: 600_000 },
  )
  const resources = stack.move()
  return { server, accounts, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

function registration(account: string, port: number) {
  const auth = { user: account, pass: 'secret' }
  const tls = { requireStartTls: false }
  const imap = { host: '127.0.0.1', port, secure: false, auth, tls, resyncDelay: 900 }
  return { account, name: 'Jane Doe', email: `${account}@mail.test`, imap }
}

/** Path of a list of messages of an account. */
export function messagesPath(account: string): string {
  return `/v1/account/${account}/messages?path=INBOX`
}

/** Copy of a list in random order. */
export function shuffled<T>(list: readonly T[]): T[] {
  const order = list.map((value) => ({ value, at: Math.random() }))
  return order.toSorted((a, b) => a.at - b.at).map(({ value }) => value)
}
