import { expect, test } from '@jest/globals'
import { firstValues, previewBody, templateBody, testMailBody, textsOf } from './template-body.ts'

const texts = { subject: 'Order {{params.number}}', previewText: ' ', text: 'Hello', html: '' }
const draft = { texts, format: 'markdown' } as const
const input = { account: 'anna', address: 'lea@mail.test', values: '{"number": 1}' }

test('templateBody: an empty account means all accounts, blank texts are left out', () => {
  expect(templateBody({ name: 'shipped' }, draft)).toEqual({
    account: null,
    name: 'shipped',
    description: '',
    format: 'markdown',
    content: { subject: 'Order {{params.number}}', text: 'Hello' },
  })
  expect(templateBody({ id: 't1', account: 'anna', name: 'n' }, draft)).toMatchObject({
    id: 't1',
    account: 'anna',
  })
})

test('previewBody: has the texts of the editors, and sends nothing', () => {
  expect(previewBody(draft, input)).toEqual({
    to: [{ address: 'lea@mail.test' }],
    subject: 'Order {{params.number}}',
    text: 'Hello',
    render: { format: 'markdown', params: { number: 1 } },
    dryRun: true,
  })
})

test('testMailBody: names the stored template', () => {
  expect(testMailBody('t1', { ...input, values: ' ' })).toEqual({
    to: [{ address: 'lea@mail.test' }],
    template: 't1',
    render: { params: {} },
  })
})

test.each([
  ['[1]', 'The values must be a JSON object.'],
  ['{number: 1}', 'The values must be valid JSON: '],
])('previewBody: refuses the values %s', (values, message) => {
  expect(() => previewBody(draft, { ...input, values })).toThrow(message)
})

test('firstValues: a member for each name in the placeholders', () => {
  const html = '{{#each params.items}}{{this}}{{/each}} {{params.number}} {{account.name}}'
  expect(JSON.parse(firstValues({ ...texts, html }))).toEqual({ number: '', items: '' })
})

test('textsOf: absent texts are empty', () => {
  expect(textsOf({ content: { subject: 'Hello' } })).toEqual({
    subject: 'Hello',
    previewText: '',
    text: '',
    html: '',
  })
})
