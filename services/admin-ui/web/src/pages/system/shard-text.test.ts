import { expect, test } from '@jest/globals'
import { shardText } from './shard-text.ts'

test('shardText: joins neighbours to ranges', () => {
  expect(shardText([7, 0, 1, 2, 9, 10])).toBe('0–2, 7, 9–10')
  expect(shardText([])).toBe('')
})
