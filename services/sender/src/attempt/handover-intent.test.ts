import { expect, test } from '@jest/globals'
import { HandoverIntent } from './handover-intent.ts'

const hold = { queueId: 'q', worker: 'w', attempt: 1 }

test('a marker that was begun before is not written again', async () => {
  let written = 0
  const marker = new HandoverIntent(async () => (written += 1) > 0, hold, 3_600_000)
  marker.prepare()
  marker.prepare()
  await marker.commit()
  expect(written).toBe(1)
})

test('a marker is waited for, and one that fails lets no dot be written', async () => {
  const { promise, reject } = Promise.withResolvers<boolean>()
  const marker = new HandoverIntent(() => promise, hold, 3_600_000)
  marker.prepare()
  const asserted = marker.commit()
  reject(new Error('no Postgres'))
  await expect(asserted).rejects.toThrow('the handover cannot be recorded')
  await marker.settled()
})

test('a row that is another’s lets no dot be written', async () => {
  const marker = new HandoverIntent(async () => false, hold, 3_600_000)
  marker.prepare()
  await expect(marker.commit()).rejects.toMatchObject({ kind: 'stale' })
})

test('a marker that is old by the time of the dot is written anew, and that one counts', async () => {
  const answers = [true, false]
  const marker = new HandoverIntent(async () => answers.shift() ?? true, hold, 0)
  marker.prepare()
  await expect(marker.commit()).rejects.toMatchObject({ kind: 'stale' })
  expect(answers).toEqual([])
})
