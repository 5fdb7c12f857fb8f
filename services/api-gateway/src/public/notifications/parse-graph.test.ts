import { expect, test } from '@jest/globals'
import { parseGraphNotifications } from './parse-graph.ts'

const parse = (...value: object[]) => parseGraphNotifications(JSON.stringify({ value }), 'a')
const of = (id: unknown, changeType = 'created') => ({
  clientState: 'secret',
  changeType,
  resource: `Users/u/Messages/${String(id)}`,
  resourceData: { id },
})

test('parseGraphNotifications: messages of one secret are named once, in one notification', () => {
  expect(parse(of('m1'), of('m1', 'updated'), of('m2', 'deleted'))).toEqual([
    expect.objectContaining({
      account: 'a',
      kind: 'changed',
      messages: [{ id: 'm1' }, { id: 'm2', isDeleted: true }],
    }),
  ])
})

test.each([
  [of('m', 'deleted'), of('m')],
  [of('m'), of('m', 'deleted')],
])('parseGraphNotifications: a moved message is not deleted, in either order', (one, other) => {
  expect(parse(one, other)[0]?.messages).toEqual([{ id: 'm' }])
})

test.each([
  ['no id', [of(undefined)]],
  ['an id that is no text', [of({ $ne: 1 })]],
  ['an id with blanks', [of('a b')]],
  ['an id with a line break', [of('a\n')]],
  ['an id of 201 characters', [of('a'.repeat(201))]],
  ['no resource', [{ clientState: 'secret', resourceData: 'm' }]],
  ['one of several without an id', [of('m'), of(null)]],
  ['more than ten messages', Array.from({ length: 11 }, (_, at) => of(`m${at}`))],
])('parseGraphNotifications: %s names no message, so that all feeds are read', (_name, value) => {
  const [notification, ...others] = parse(...value)
  expect(notification).toMatchObject({ kind: 'changed' })
  expect(notification).not.toHaveProperty('messages')
  expect(others).toEqual([])
})

test('parseGraphNotifications: after too many messages, later ones do not make it complete', () => {
  const many = Array.from({ length: 30 }, (_, at) => of(`m${at}`))
  expect(parse(...many)[0]).not.toHaveProperty('messages')
})

test('parseGraphNotifications: events of the subscription name no message', () => {
  expect(parse({ ...of('m'), lifecycleEvent: 'missed' })).toEqual([
    expect.not.objectContaining({ messages: expect.anything() }),
  ])
})
