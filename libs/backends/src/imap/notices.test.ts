import { EventEmitter } from 'node:events'
import { expect, test } from '@jest/globals'
import type { ImapFlow } from 'imapflow'
import type { MailboxNotice } from '../backend.ts'
import { Notices } from './notices.ts'
import type { Wire } from './wire.ts'

function listening(): { client: EventEmitter; notices: Notices } {
  const client = new EventEmitter()
  const notices = new Notices()
  notices.listenTo(client as unknown as ImapFlow, {} as Wire)
  return { client, notices }
}

function told(notices: Notices): MailboxNotice[] {
  const list: MailboxNotice[] = []
  notices.watch((notice) => list.push(notice))()
  return list
}

test('what comes while nobody watches is kept for the next who does, once', () => {
  const { client, notices } = listening()
  client.emit('exists', { count: 3 })
  client.emit('exists', { count: 4 })
  client.emit('expunge', {})
  client.emit('expunge', {})
  client.emit('flags', { uid: 7, flags: new Set(['\\Seen']), modseq: 9n })
  expect(told(notices)).toEqual([
    { kind: 'exists', messages: 4 },
    { kind: 'flags', uid: 7, flags: ['\\Seen'], modseq: 9n },
    { kind: 'expunge' },
  ])
  expect(told(notices)).toEqual([])
})

test('more flag changes than are kept become one that names no message', () => {
  const { client, notices } = listening()
  for (let uid = 1; uid <= 1_001; uid++) client.emit('flags', { uid, flags: new Set() })
  expect(told(notices)).toEqual([{ kind: 'flags', flags: [] }])
})

test('nothing is told of a mailbox that is not open any more', () => {
  const { client, notices } = listening()
  client.emit('exists', { count: 3 })
  notices.forget()
  expect(told(notices)).toEqual([])
})
