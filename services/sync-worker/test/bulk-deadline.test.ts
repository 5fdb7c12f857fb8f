import { expect, test } from '@jest/globals'
import { listMailboxes, listMessages, moveMessages, shardOf } from '@posthorn/contracts'
import { altered } from './altered.ts'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld } from './world.ts'

test('when time is up between two pieces, what was moved stays moved and nothing more is', async () => {
  const gate = Promise.withResolvers<void>()
  let pieces = 0
  const backend = altered((session) => ({
    // Far more than there are: pieces are made of what the server names.
    search: () => Promise.resolve([[1, 2_500] as const]),
    async moveMessages(uids, path) {
      pieces++
      const moved = await session.moveMessages(uids, path)
      await gate.promise
      return moved
    },
  }))
  const world = await testWorld()
  try {
    // With one connection, whoever comes next is served when the bulk has ended.
    await world.startWorker({ commandConnections: 1 }, { backend })
    const user = world.dovecot.freshUser()
    await using client = await ImapClient.login(user)
    await client.append('INBOX', mail())
    const account = await world.register(user)
    await world.connected(account)
    const move = (timeoutMs: number) =>
      world.bus.request(
        moveMessages,
        { account, path: 'INBOX', search: {}, destination: 'Trash' },
        { key: `shard.${shardOf(account)}`, timeoutMs },
      )
    // Until there was time to begin.
    for (let timeoutMs = 1_000; pieces === 0; timeoutMs *= 2)
      await expect(move(timeoutMs)).rejects.toMatchObject({ kind: 'timeout', code: 'Timeout' })
    // By the time the worker has answered something else, it knows as well.
    await world.ask(listMailboxes, account, { counters: false })
    gate.resolve()
    const list = (path: string) => world.ask(listMessages, account, { path, page: 0, pageSize: 1 })
    expect((await list('INBOX')).total).toBe(0)
    expect((await list('\\Trash')).total).toBe(1)
    expect(pieces).toBe(1)
  } finally {
    await world.close()
  }
})
