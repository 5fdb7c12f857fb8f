import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parseSummary } from './parse-summary.ts'

const answer = (content: unknown, more: object = {}) =>
  JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content } }], ...more })
const saying = (made: object) => parseSummary(answer(JSON.stringify(made)))

test('a summary is what the model says, beside what it cost', () => {
  const made = {
    summary: ' Lunch on Friday? ',
    sentiment: 'Positive',
    shouldReply: true,
    events: [{ description: 'Lunch', startTime: '2026-12-04T12:00:00Z' }],
    actions: [{ description: 'Say yes', dueDate: 'soon' }, { description: '' }, 7],
    mood: 'not asked for',
  }
  const about = { id: 'chatcmpl-1', model: 'small', usage: { total_tokens: 321 } }
  expect(parseSummary(answer(JSON.stringify(made), about))).toEqual({
    id: 'chatcmpl-1',
    tokens: 321,
    model: 'small',
    sentiment: 'positive',
    summary: 'Lunch on Friday?',
    shouldReply: true,
    events: [{ description: 'Lunch', startTime: '2026-12-04T12:00:00Z' }],
    actions: [{ description: 'Say yes' }],
  })
})

test.each([
  ['```json\n{"summary":"a"}\n```'],
  ['<think>{"summary":"b"} or so?</think>\n{"summary":"a"}'],
  ['Here it is: {"summary":"a"}. Anything else?'],
])('the object is found in %j', (content) => {
  expect(parseSummary(answer(content))).toEqual({ summary: 'a' })
})

test.each([
  '',
  '<html>not here</html>',
  'null',
  '[]',
  '{"error":{"message":"no"}}',
  '{"choices":[]}',
  answer(null),
  answer('I cannot do that.'),
  answer('{"summary":""}'),
  answer('{"summary":{"text":"a"}}'),
  answer('{"summary":"a"'),
  answer('}{'),
])('%j is no summary', (body) => {
  expect(parseSummary(body)).toBeUndefined()
})

test('markup and what turns its direction is not passed on, and nothing is longer than it may be', () => {
  expect(saying({ summary: '<img src=x onerror=alert(1)>\u202Ehi\u0000\u0007\nthere' })).toEqual({
    summary: '‹img src=x onerror=alert(1)›hi\nthere',
  })
  const long = 'x'.repeat(5_000)
  const many = Array.from({ length: 25 }, () => ({ description: long, startTime: long }))
  const bounded = saying({ summary: long, sentiment: long, events: many, actions: many })
  expect(bounded?.summary).toHaveLength(4_000)
  expect(bounded?.sentiment).toHaveLength(64)
  expect(bounded?.events).toHaveLength(20)
  expect(JSON.stringify(bounded).length).toBeLessThan(100_000)
})

test('no answer makes it throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.json().map(answer), fc.string()), (body) => {
      parseSummary(body)
    }),
  )
})
