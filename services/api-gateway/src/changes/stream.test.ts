import { expect, test } from '@jest/globals'
import { changeFrame, greeting, lostFrame } from './stream.ts'

const position = { xid: 7n, id: 3n }

test('changeFrame: message event with id and JSON data', () => {
  const change = { account: 'a', type: 'state', key: 'connected', payload: null } as const
  expect(changeFrame(position, change)).toBe(
    'id: 7-3\nevent: message\ndata: {"account":"a","type":"state","key":"connected","payload":null}\n\n',
  )
})

test('changeFrame: line breaks in values, are escaped', () => {
  const error = { response: 'NO\r\nevent: fake\n\n' }
  const frame = changeFrame(position, {
    account: 'a\nid: 9-9',
    type: 'state',
    key: 'connectError',
    payload: { error },
  })
  expect(frame.split('\n')).toHaveLength(5)
  expect(frame).not.toContain('\r')
})

test('greeting: start id only if the client sent none', () => {
  expect(greeting('1.2.3', position)).toBe(': Posthorn v1.2.3\n\nid: 7-3\n\n')
  expect(greeting('1.2.3', undefined)).toBe(': Posthorn v1.2.3\n\n')
})

test('lostFrame: historyLost event with the new position', () => {
  expect(lostFrame(position, { xid: 1n, id: 2n })).toBe(
    'id: 7-3\nevent: historyLost\ndata: {"lastEventId":"1-2"}\n\n',
  )
})
