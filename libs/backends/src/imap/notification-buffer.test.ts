import { EventEmitter } from 'node:events'
import { expect, test } from '@jest/globals'
import type { ImapFlow } from 'imapflow'
import type { MailboxNotification } from '../backend.ts'
import { NotificationBuffer } from './notification-buffer.ts'
import type { Wire } from './wire.ts'

function listening(): { client: EventEmitter; notices: NotificationBuffer } {
  const client = new EventEmitter()
  const notices = new NotificationBuffer()
  notices.listenTo(client as unknown as ImapFlow, {} as Wire)
  return { client, notices }
}

function takeBuffered(notices: NotificationBuffer): MailboxNotification[] {
  const list: MailboxNotification[] = []
  notices.watch((notice) => list.push(notice))()
  return list
}

test('NotificationBuffer.watch: notifications without a watcher, passes them to the next one once', () => {
  const { client, notices } = listening()
  client.emit('exists', { count: 3 })
  client.emit('exists', { count: 4 })
  client.emit('expunge', {})
  client.emit('expunge', {})
  client.emit('flags', { uid: 7, flags: new Set(['\\Seen']), modseq: 9n })
  expect(takeBuffered(notices)).toEqual([
    { kind: 'exists', messages: 4 },
    { kind: 'flags', uid: 7, flags: ['\\Seen'], modseq: 9n },
    { kind: 'expunge' },
  ])
  expect(takeBuffered(notices)).toEqual([])
})

test('NotificationBuffer.watch: more flag changes than the limit, reports one without a message', () => {
  const { client, notices } = listening()
  for (let uid = 1; uid <= 1_001; uid++) client.emit('flags', { uid, flags: new Set() })
  expect(takeBuffered(notices)).toEqual([{ kind: 'flags', flags: [] }])
})

test('NotificationBuffer.clear: buffered notifications, discards them', () => {
  const { client, notices } = listening()
  client.emit('exists', { count: 3 })
  notices.clear()
  expect(takeBuffered(notices)).toEqual([])
})
