import { expect, test } from '@jest/globals'
import { changeFrame, greeting, lostFrame } from './frame.ts'

const position = { xid: 7n, id: 3n }

test('a change is a message with its id', () => {
  const change = { account: 'a', type: 'state', key: 'connected', payload: null }
  expect(changeFrame(position, change)).toBe(
    'id: 7-3\nevent: message\ndata: {"account":"a","type":"state","key":"connected","payload":null}\n\n',
  )
})

test('nothing in an account or an error ends a line', () => {
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

test('the greeting gives an id to go on from, unless the client brought one', () => {
  expect(greeting('1.2.3', position)).toBe(': Posthorn v1.2.3\n\nid: 7-3\n\n')
  expect(greeting('1.2.3', undefined)).toBe(': Posthorn v1.2.3\n\n')
})

test('a lost history is an event of its own, behind which one can go on', () => {
  expect(lostFrame(position, { xid: 1n, id: 2n })).toBe(
    'id: 7-3\nevent: historyLost\ndata: {"lastEventId":"1-2"}\n\n',
  )
})
