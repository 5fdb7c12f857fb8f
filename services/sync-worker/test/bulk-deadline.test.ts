import { expect, test } from '@jest/globals'
import { listMailboxes } from '@posthorn/contracts/commands/mailboxes'
import { moveMessages } from '@posthorn/contracts/commands/message-changes'
import { listMessages } from '@posthorn/contracts/commands/messages'
import { shardOf } from '@posthorn/contracts/shards'
import { altered } from './altered.ts'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld } from './world.ts'

test('moveMessages: at the deadline, completed batches stay moved and no further one starts', async () => {
  const gate = Promise.withResolvers<void>()
  let batches = 0
  const backend = altered((session) => ({
    // The search returns more UIDs than exist, because the batches of the bulk move are formed from
    // the search result.
    search: () => Promise.resolve([[1, 2_500] as const]),
    async moveMessages(uids, path) {
      batches++
      const moved = await session.moveMessages(uids, path)
      await gate.promise
      return moved
    },
  }))
  const world = await testWorld()
  try {
    // With one command connection, the next command waits for the end of the bulk move.
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
    // Repeats the bulk move with longer timeouts, until the deadline suffices to start a batch.
    for (let timeoutMs = 1_000; batches === 0; timeoutMs *= 2)
      await expect(move(timeoutMs)).rejects.toMatchObject({ kind: 'timeout', code: 'Timeout' })
    // The worker receives messages in order: after the reply to another command, the worker has
    // also received the cancellation.
    await world.ask(listMailboxes, account, { counters: false })
    gate.resolve()
    const list = (path: string) => world.ask(listMessages, account, { path, page: 0, pageSize: 1 })
    expect((await list('INBOX')).total).toBe(0)
    expect((await list('\\Trash')).total).toBe(1)
    expect(batches).toBe(1)
  } finally {
    await world.close()
  }
})
