import { expect, test } from '@jest/globals'
import { discard } from './discard.ts'

async function* contentOf(closed: string[]) {
  try {
    yield 1
    yield 2
  } finally {
    closed.push('content')
  }
}

test('discard: generators that have not started, close what they hold', async () => {
  const closed: string[] = []
  async function* limited() {
    for await (const each of contentOf(closed)) yield each
  }
  await discard(limited())
  expect(closed).toEqual(['content'])
})

test('discard: an iteration that fails, is ignored', async () => {
  async function* failing() {
    yield await Promise.reject(new Error('lost'))
  }
  await expect(discard(failing())).resolves.toBeUndefined()
})
