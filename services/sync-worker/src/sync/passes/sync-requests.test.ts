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
    const none = { all: false, mailboxes: new Set(), reselect: new Set() }
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
