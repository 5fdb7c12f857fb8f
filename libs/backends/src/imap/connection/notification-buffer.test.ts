import { EventEmitter } from 'node:events'
import { expect, test } from '@jest/globals'
import type { ImapFlow } from 'imapflow'
import type { MailboxNotification } from '../../mail-session.ts'
import { NotificationBuffer } from './notification-buffer.ts'
import type { Wire } from './wire.ts'

function listeningBuffer(): { client: EventEmitter; buffer: NotificationBuffer } {
  const client = new EventEmitter()
  const buffer = new NotificationBuffer()
  buffer.listenTo(client as unknown as ImapFlow, {} as Wire)
  return { client, buffer }
}

function takeBuffered(buffer: NotificationBuffer): MailboxNotification[] {
  const list: MailboxNotification[] = []
  buffer.watch((notification) => list.push(notification))()
  return list
}

test('NotificationBuffer.watch: notifications without a watcher, passes them to the next one once', () => {
  const { client, buffer } = listeningBuffer()
  client.emit('exists', { count: 3 })
  client.emit('exists', { count: 4 })
  client.emit('expunge', {})
  client.emit('expunge', {})
  client.emit('flags', { uid: 7, flags: new Set(['\\Seen']), modseq: 9n })
  expect(takeBuffered(buffer)).toEqual([
    { kind: 'exists', messages: 4 },
    { kind: 'flags', uid: 7, flags: ['\\Seen'], modseq: 9n },
    { kind: 'expunge' },
  ])
  expect(takeBuffered(buffer)).toEqual([])
})

test('NotificationBuffer.watch: more flag changes than the limit, reports one without a message', () => {
  const { client, buffer } = listeningBuffer()
  for (let uid = 1; uid <= 1_001; uid++) client.emit('flags', { uid, flags: new Set() })
  expect(takeBuffered(buffer)).toEqual([{ kind: 'flags', flags: [] }])
})

test('NotificationBuffer.clear: buffered notifications, discards them', () => {
  const { client, buffer } = listeningBuffer()
  client.emit('exists', { count: 3 })
  buffer.clear()
  expect(takeBuffered(buffer)).toEqual([])
})
