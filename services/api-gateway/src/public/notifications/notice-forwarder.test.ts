import { expect, test } from '@jest/globals'
import type { Bus } from '@posthorn/bus'
import type { ProviderNotice } from '@posthorn/contracts/commands/notices'
import { NoticeForwarder } from './notice-forwarder.ts'

/** Bus whose commands are confirmed by the test. */
function slowBus() {
  const commands: { accounts: string[]; keys: readonly string[]; confirm: () => void }[] = []
  const notify = (
    _command: unknown,
    { notices }: { notices: ProviderNotice[] },
    { keys }: { keys: readonly string[] },
  ) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    commands.push({ accounts: notices.map(({ account }) => account), keys, confirm: resolve })
    return promise
  }
  return { commands, bus: { notify } as unknown as Pick<Bus, 'notify'> }
}

const changed = (account: string): ProviderNotice => ({ account, kind: 'changed' })
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('NoticeForwarder: notices during a command share the next one, equal ones are one', async () => {
  const { commands, bus } = slowBus()
  const forwarder = new NoticeForwarder(bus)
  const first = forwarder.forward([changed('a')])
  await turn()
  const others = ['b', 'b', 'c', 'b'].map((account) => forwarder.forward([changed(account)]))
  await turn()
  expect(commands.map(({ accounts }) => accounts)).toEqual([['a']])
  commands[0]?.confirm()
  await first
  await turn()
  await turn()
  expect(commands[1]?.accounts).toEqual(['b', 'c'])
  expect(commands[1]?.keys).toHaveLength(2)
  commands[1]?.confirm()
  await Promise.all(others)
})

test('NoticeForwarder: while 5,000 notices wait, more are rejected immediately', async () => {
  const { commands, bus } = slowBus()
  const forwarder = new NoticeForwarder(bus)
  const notices = Array.from({ length: 10 }, (_, at) => changed(`account ${at}`))
  const forwarded = Array.from({ length: 500 }, () => forwarder.forward(notices))
  for (const each of forwarded) each.catch(() => undefined)
  await expect(forwarder.forward([changed('a')])).rejects.toMatchObject({ kind: 'unavailable' })
  expect(forwarder.waiting).toBe(5_000)
  await turn()
  expect(commands).toHaveLength(1)
})
