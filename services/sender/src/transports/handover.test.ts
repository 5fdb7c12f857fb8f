import { expect, test } from '@jest/globals'
import { HandoverIntent } from './handover.ts'

test('HandoverIntent.commit: after prepare, writes the record once', async () => {
  let written = 0
  const intent = new HandoverIntent(async () => (written += 1) > 0, 3_600_000)
  intent.prepare()
  intent.prepare()
  await intent.commit()
  expect(written).toBe(1)
})

test('HandoverIntent.commit: failed write, rejects with PreAttemptError', async () => {
  const { promise, reject } = Promise.withResolvers<boolean>()
  const intent = new HandoverIntent(() => promise, 3_600_000)
  intent.prepare()
  const committed = intent.commit()
  reject(new Error('no Postgres'))
  await expect(committed).rejects.toThrow('intent record not written')
  await intent.settled()
})

test('HandoverIntent.commit: lost lease, rejects with RecordError', async () => {
  const intent = new HandoverIntent(async () => false, 3_600_000)
  intent.prepare()
  await expect(intent.commit()).rejects.toMatchObject({ kind: 'stale' })
})

test('HandoverIntent.commit: record older than a tenth of the lease, writes it again', async () => {
  const replies = [true, false]
  const intent = new HandoverIntent(async () => replies.shift() ?? true, 0)
  intent.prepare()
  await expect(intent.commit()).rejects.toMatchObject({ kind: 'stale' })
  expect(replies).toEqual([])
})
