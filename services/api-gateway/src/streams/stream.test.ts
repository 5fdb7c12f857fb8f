import { expect, test } from '@jest/globals'
import { entryFrame, greeting, lostFrame } from './stream.ts'

test('entryFrame: message event with id and JSON data', () => {
  const change = { account: 'a', type: 'state', key: 'connected', payload: null }
  expect(entryFrame('7-3', change)).toBe(
    'id: 7-3\nevent: message\ndata: {"account":"a","type":"state","key":"connected","payload":null}\n\n',
  )
})

test('entryFrame: line breaks in values, are escaped', () => {
  const error = { response: 'NO\r\nevent: fake\n\n' }
  const frame = entryFrame('7-3', { account: 'a\nid: 9-9', payload: { error } })
  expect(frame.split('\n')).toHaveLength(5)
  expect(frame).not.toContain('\r')
})

test('greeting: start id only if the client sent none', () => {
  expect(greeting('1.2.3', '7-3')).toBe(': Posthorn v1.2.3\n\nid: 7-3\n\n')
  expect(greeting('1.2.3', undefined)).toBe(': Posthorn v1.2.3\n\n')
})

test('lostFrame: historyLost event with the new position', () => {
  expect(lostFrame('7-3', '1-2')).toBe(
    'id: 7-3\nevent: historyLost\ndata: {"lastEventId":"1-2"}\n\n',
  )
})
