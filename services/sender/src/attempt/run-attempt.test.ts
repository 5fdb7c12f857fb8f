import { expect, test } from '@jest/globals'
import { HandoverIntent } from './run-attempt.ts'

test('HandoverIntent.commit: writes the record once, with the accepted recipients', async () => {
  const written: (readonly string[])[] = []
  const intent = new HandoverIntent(async (to) => written.push(to) > 0, 3_600_000)
  expect(written).toEqual([])
  await intent.commit(['a@b.c'])
  expect(written).toEqual([['a@b.c']])
})

test('HandoverIntent.commit: failed write, rejects with PreAttemptError', async () => {
  const { promise, reject } = Promise.withResolvers<boolean>()
  const intent = new HandoverIntent(() => promise, 3_600_000)
  const committed = intent.commit([])
  reject(new Error('no Postgres'))
  await expect(committed).rejects.toThrow('intent record not written')
  await intent.settled()
})

test('HandoverIntent.commit: lost lease, rejects with RecordError', async () => {
  const intent = new HandoverIntent(async () => false, 3_600_000)
  await expect(intent.commit([])).rejects.toMatchObject({ kind: 'stale' })
})

test('HandoverIntent.commit: commit slower than a tenth of the lease, writes it again', async () => {
  const replies = [true, false]
  const intent = new HandoverIntent(async () => replies.shift() ?? true, 0)
  await expect(intent.commit([])).rejects.toMatchObject({ kind: 'stale' })
  expect(replies).toEqual([])
})
