import { expect, test } from '@jest/globals'
import { slowTexts } from './adversarial-texts.ts'

/** Function that uses the CPU for `wholeMs` if its text has 1 MB and consists of tabs. */
function reader({ wholeMs, exponent }: { wholeMs: number; exponent: number }) {
  return (text: string) => {
    if (/[^\t]/.test(text)) return
    const ms = wholeMs * (text.length / 1_000_000) ** exponent
    const before = process.threadCpuUsage()
    while (process.threadCpuUsage(before).user < ms * 1_000);
  }
}

test('slowTexts: a reader with quadratic time, returns the text', () => {
  expect(slowTexts(reader({ wholeMs: 150, exponent: 2 }))).toEqual([
    expect.stringMatching(/^"\\t.* \d+ ms$/),
  ])
})

test.each([
  ['linear time', { wholeMs: 150, exponent: 1 }],
  ['negligible time', { wholeMs: 40, exponent: 2 }],
])('slowTexts: a reader with %s, returns nothing', (_name, growth) => {
  expect(slowTexts(reader(growth))).toEqual([])
})
