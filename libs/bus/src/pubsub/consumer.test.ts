import { expect, test } from '@jest/globals'
import { defaultRedeliveryDelayMs } from './consumer.ts'

test('defaultRedeliveryDelayMs: doubles with each redelivery up to 5 s', () => {
  const delays = [0, 1, 2, 5, 6, 20].map(defaultRedeliveryDelayMs)
  expect(delays).toEqual([100, 200, 400, 3_200, 5_000, 5_000])
})
