import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readExamples } from './read-examples.ts'

const fence = '```'
const page = (...lines: string[]) =>
  ['---', 'title: Page', 'order: 30', '---', '', ...lines, ''].join('\n')

test('readExamples: returns marked blocks with their lines, and the output that follows', () => {
  const text = page(
    'Text',
    `${fence}sh runnable`,
    'echo 1',
    fence,
    `${fence}sh`,
    'rm -rf /',
    fence,
    `${fence}json output`,
    '1',
    fence,
    '1. In a list:',
    '',
    `   ${fence}py runnable`,
    '   print(2)',
    `   ${fence}`,
  )
  expect(readExamples(text)).toEqual({
    order: 30,
    examples: [
      {
        language: 'sh',
        code: 'echo 1\n',
        line: 8,
        expected: { format: 'json', text: '1\n', line: 14 },
      },
      { language: 'py', code: 'print(2)\n', line: 19 },
    ],
  })
})

test.each([
  ['output without a block', [`${fence}text output`, '1', fence], 'an output follows no runnable'],
  ['unknown language', [`${fence}rb runnable`, '1', fence], 'line 6: rb is not one of sh, ts, py'],
  ['unknown word', [`${fence}sh runnable again`, '1', fence], 'unknown words after runnable'],
  ['unknown format', [`${fence}xml output`, '1', fence], 'an output is text or json, not xml'],
])('readExamples: rejects an %s', (_name, lines, message) => {
  expect(() => readExamples(page(...lines))).toThrow(message)
})

test('readExamples: reads every guide, each with its own order', () => {
  const folder = join(import.meta.dirname, '../../guides')
  const orders = globSync('*.md', { cwd: folder }).map(
    (file) => readExamples(readFileSync(join(folder, file), 'utf8')).order,
  )
  expect(orders.filter((order) => !Number.isInteger(order))).toEqual([])
  expect(new Set(orders).size).toBe(orders.length)
})
