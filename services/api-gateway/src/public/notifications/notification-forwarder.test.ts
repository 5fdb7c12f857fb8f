import { expect, test } from '@jest/globals'
import type { Bus } from '@posthorn/bus'
import type { ProviderNotification } from '@posthorn/contracts/commands/notifications'
import { NotificationForwarder } from './notification-forwarder.ts'

/** Fake bus that holds the notification commands until the test confirms them. */
function slowBus() {
  const commands: { accounts: string[]; keys: readonly string[]; confirm: () => void }[] = []
  const notify = (
    _command: unknown,
    { notices: notifications }: { notices: ProviderNotification[] },
    { keys }: { keys: readonly string[] },
  ) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    commands.push({ accounts: notifications.map(({ account }) => account), keys, confirm: resolve })
    return promise
  }
  return { commands, bus: { notify } as unknown as Pick<Bus, 'notify'> }
}

const changed = (account: string): ProviderNotification => ({ account, kind: 'changed' })
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('NotificationForwarder: notifications during a command share the next one, equal ones are one', async () => {
  const { commands, bus } = slowBus()
  const forwarder = new NotificationForwarder(bus)
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

test('NotificationForwarder: while 5,000 notifications wait, more are rejected immediately', async () => {
  const { commands, bus } = slowBus()
  const forwarder = new NotificationForwarder(bus)
  const notifications = Array.from({ length: 10 }, (_, at) => changed(`account ${at}`))
  const forwarded = Array.from({ length: 500 }, () => forwarder.forward(notifications))
  for (const each of forwarded) each.catch(() => undefined)
  await expect(forwarder.forward([changed('a')])).rejects.toMatchObject({ kind: 'unavailable' })
  expect(forwarder.waiting).toBe(5_000)
  await turn()
  expect(commands).toHaveLength(1)
})
