import { describe, expect, test } from '@jest/globals'
import { SyncRequests } from './sync-requests.ts'

describe('SyncRequests', () => {
  test('take: merges and clears several requests', () => {
    const requests = new SyncRequests()
    const { pending } = requests
    requests.requestMailboxes([])
    expect(pending.aborted).toBe(false)
    requests.requestMailboxes(['a', 'b'])
    requests.requestMailboxes(['b'])
    expect(pending.aborted).toBe(true)
    const none = { all: false, mailboxes: new Set(), messages: new Map(), reselect: new Set() }
    expect(requests.take()).toEqual({ ...none, mailboxes: new Set(['a', 'b']) })
    expect(requests.take()).toEqual(none)
  })

  test('requestReselect: kept apart from mailboxes to sync', () => {
    const requests = new SyncRequests()
    const { pending } = requests
    requests.requestReselect('a')
    expect(pending.aborted).toBe(true)
    const { mailboxes, reselect } = requests.take()
    expect([mailboxes, reselect]).toEqual([new Set(), new Set(['a'])])
  })

  test('requestMessages: merged, deleted only if no notification says otherwise', () => {
    const requests = new SyncRequests()
    const { pending } = requests
    requests.requestMessages([{ id: 'a', isDeleted: true }, { id: 'b' }])
    requests.requestMessages([{ id: 'a' }, { id: 'c', isDeleted: true }])
    expect(pending.aborted).toBe(true)
    const { all, messages } = requests.take()
    expect([all, [...messages]]).toEqual([
      false,
      [
        ['a', false],
        ['b', false],
        ['c', true],
      ],
    ])
  })

  test('requestMessages: more than 100 are a full sync', () => {
    const requests = new SyncRequests()
    requests.requestMessages(Array.from({ length: 101 }, (_, at) => ({ id: `${at}` })))
    expect(requests.take()).toMatchObject({ all: true, messages: new Map() })
  })

  test('pending: a new signal after take, aborted by the next request', () => {
    const requests = new SyncRequests()
    requests.requestFull()
    expect(requests.take().all).toBe(true)
    const { pending } = requests
    expect(pending.aborted).toBe(false)
    requests.requestFull()
    expect(pending.aborted).toBe(true)
    expect(requests.pending.aborted).toBe(true)
  })
})
