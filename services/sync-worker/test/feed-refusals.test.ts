import { describe, expect, test } from '@jest/globals'
import { MailApiError } from '@posthorn/backends/mail-api'
import type { ParkedFeeds } from '../src/drivers/api/feeds/parked-feeds.ts'
import { notified, PassScene } from './feeds/pass-scene.ts'

// Folders that the provider refuses to read while it serves other folders.

const minute = 60_000
const old = new Date('2026-10-01T12:00:00Z')
const failures: [name: string, error: MailApiError][] = [
  ['403', new MailApiError('access-denied', 'Access is denied', { status: 403 })],
  ['400', new MailApiError('refused', 'Bad request', { status: 400 })],
  ['500', new MailApiError('unavailable', 'Internal error', { status: 500 })],
]

/** Mailbox of which some folders are refused. */
class RefusingScene extends PassScene {
  readonly refused = new Map<string, MailApiError>()

  constructor() {
    super()
    const { api } = this.model
    const changes = api.changes.bind(api)
    api.changes = async (feed, ...call) => {
      const page = await changes(feed, ...call)
      const error = this.refused.get(feed.id)
      if (error) throw error
      return page
    }
  }

  refuseAll(error: MailApiError): void {
    for (const id of this.allFolders) this.refused.set(id, error)
  }

  /** Ids of the folders whose feeds (lists of changes) were read since the last call. */
  takeReads(): Set<string> {
    const read = new Set(this.reads.map(({ feed }) => feed))
    this.reads = []
    return read
  }
}

const latest = (parked: ParkedFeeds) => parked.latest?.feed.id

describe.each(failures)('MailboxFeeds: a folder that answers %s', (_name, error) => {
  test('does not delay the initial sync, or the folders after it', async () => {
    const scene = new RefusingScene()
    scene.deliver({ folderId: 'two' })
    scene.refused.set('one', error)
    const { hasRounds, refusal } = await scene.pass()
    expect(hasRounds).toBe(false)
    expect(refusal).toEqual({ path: 'one', error })
    expect(await scene.eventNames()).toEqual(['messageNew'])
    // The next sync pass opens a complete message index, so that messages that arrive later are
    // announced.
    scene.deliver({ folderId: 'three', receivedAt: old })
    await scene.sync()
    expect(await scene.eventNames()).toEqual(['messageNew', 'messageNew'])
  })

  test('is read again after 1, 2 and 4 min, then indexed without events of old messages', async () => {
    const scene = new RefusingScene()
    scene.deliver({ folderId: 'one', receivedAt: old })
    const arrival = scene.deliver({ folderId: 'one' })
    scene.refused.set('one', error)
    await scene.sync()
    for (const minutes of [1, 2, 4]) {
      scene.time += minutes * minute - 1
      scene.takeReads()
      await scene.sync()
      expect(scene.takeReads()).not.toContain('one')
      scene.time += 1
      await scene.sync()
      expect(scene.takeReads()).toContain('one')
    }
    scene.refused.clear()
    scene.time += 8 * minute
    const { refusal } = await scene.pass()
    expect(refusal).toBeUndefined()
    expect(await scene.news()).toEqual([arrival])
    // The first full round of the folder is over, so that messages that are moved into the folder
    // are announced.
    const moved = scene.deliver({ folderId: 'one', receivedAt: old })
    await scene.sync()
    expect(await scene.news()).toEqual([arrival, moved])
  })
})

describe('MailboxFeeds: refused folders', () => {
  const [, error] = failures[0] as [string, MailApiError]

  test('keep their messages while they are refused', async () => {
    const scene = new RefusingScene()
    await scene.sync()
    const kept = scene.deliver({ folderId: 'one' })
    await scene.sync()
    scene.refused.set('one', error)
    for (let pass = 0; pass < 3; pass++) {
      scene.time += 10 * minute
      await scene.sync()
    }
    expect(await scene.eventNames()).toEqual(['messageNew'])
    scene.refused.clear()
    scene.time += 360 * minute
    const later = scene.deliver({ folderId: 'one' })
    await scene.sync()
    expect(await scene.news()).toEqual([kept, later])
  })

  test('a notified message of a refused folder does not end the account', async () => {
    const scene = new RefusingScene()
    const worker = scene.worker()
    await scene.pass({}, worker)
    scene.refused.set('one', error)
    const id = scene.deliver({ folderId: 'one' })
    const { refusal } = await scene.pass({ parts: notified(id) }, worker)
    expect(refusal?.path).toBe('one')
    const other = scene.deliver({ folderId: 'two' })
    await scene.pass({ parts: notified(other) }, worker)
    expect(await scene.news()).toEqual([other])
  })

  test('all folders refused: the pass fails, and none is parked', async () => {
    const scene = new RefusingScene()
    scene.refuseAll(error)
    await expect(scene.pass()).rejects.toBe(error)
    expect(scene.reads).toHaveLength(3)
    expect(latest(scene.parked)).toBeUndefined()
    scene.refused.clear()
    const id = scene.deliver({ folderId: 'one' })
    await scene.sync()
    expect(await scene.news()).toEqual([id])
  })

  test('three refused folders before the others: the next pass reads the others first', async () => {
    const scene = new RefusingScene()
    const [first, second, third] = scene.model.store.folders.keys()
    for (const id of [first, second, third]) scene.refused.set(id ?? '', error)
    await expect(scene.pass()).rejects.toBe(error)
    await scene.sync()
    const id = scene.deliver({ folderId: 'three' })
    await scene.sync()
    expect(await scene.news()).toEqual([id])
    expect(scene.parked.nextTryAt).toEqual(new Date(scene.time + minute))
  })

  test('the end of the delay is the time of the next pass, which reads the folder', async () => {
    const scene = new RefusingScene()
    const worker = scene.worker()
    await scene.pass({}, worker)
    scene.refused.set('one', error)
    const { dueAt } = await scene.pass({}, worker)
    expect(dueAt).toEqual(new Date(scene.time + minute))
    scene.refused.clear()
    const id = scene.deliver({ folderId: 'one' })
    scene.time += minute
    const { refusal } = await scene.pass({ parts: notified() }, worker)
    expect(refusal).toBeUndefined()
    expect(await scene.news()).toEqual([id])
  })

  test('a failure of the network or of the token ends the pass', async () => {
    for (const failure of [
      new MailApiError('unavailable', 'connect ECONNREFUSED'),
      new MailApiError('token-rejected', 'Invalid Credentials', { status: 401 }),
      new MailApiError('rate-limited', 'Too many requests', { status: 429 }),
    ]) {
      const scene = new RefusingScene()
      scene.refused.set('one', failure)
      await expect(scene.pass()).rejects.toBe(failure)
    }
  })

  test('a deleted folder is forgotten', async () => {
    const scene = new RefusingScene()
    scene.refused.set('one', error)
    await scene.sync()
    expect(latest(scene.parked)).toBe('one')
    scene.model.store.removeFolder('one')
    await scene.sync()
    expect(latest(scene.parked)).toBeUndefined()
  })
})
