import { expect, test } from '@jest/globals'
import { Marker } from './marker.ts'

const hold = { queueId: 'q', worker: 'w', attempt: 1 }

test('a marker that was begun before is not written again', async () => {
  let written = 0
  const marker = new Marker(async () => (written += 1) > 0, hold, 3_600_000)
  marker.begin()
  marker.begin()
  await marker.assert()
  expect(written).toBe(1)
})

test('a marker is waited for, and one that fails lets no dot be written', async () => {
  const { promise, reject } = Promise.withResolvers<boolean>()
  const marker = new Marker(() => promise, hold, 3_600_000)
  marker.begin()
  const asserted = marker.assert()
  reject(new Error('no Postgres'))
  await expect(asserted).rejects.toThrow('the handover cannot be recorded')
  await marker.settled()
})

test('a row that is another’s lets no dot be written', async () => {
  const marker = new Marker(async () => false, hold, 3_600_000)
  marker.begin()
  await expect(marker.assert()).rejects.toMatchObject({ kind: 'stale' })
})

test('a marker that is old by the time of the dot is written anew, and that one counts', async () => {
  const answers = [true, false]
  const marker = new Marker(async () => answers.shift() ?? true, hold, 0)
  marker.begin()
  await expect(marker.assert()).rejects.toMatchObject({ kind: 'stale' })
  expect(answers).toEqual([])
})
