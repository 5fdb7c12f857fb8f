import { runInNewContext } from 'node:vm'
import { describe, expect, test } from '@jest/globals'
import { UsageError } from '../../exit-codes.ts'
import { filterSource } from './listen-route.ts'
import { receiverUrl } from './listen-url.ts'

describe('receiverUrl', () => {
  const path = '/x'
  test.each([
    ['127.0.0.1', 'http://localhost:3000', 'http://127.0.0.1:80/x'],
    ['::1', 'http://[::1]:3000', 'http://[::1]:80/x'],
    ['192.0.2.1', 'https://posthorn.example', 'http://192.0.2.1:80/x'],
    ['laptop.example', 'https://posthorn.example', 'http://laptop.example:80/x'],
  ])('%s for a server at %s', (host, server, url) => {
    expect(receiverUrl({ host, port: 80, path }, server)).toBe(url)
  })

  test.each([
    ['127.0.0.1', 'https://posthorn.example'],
    ['localhost', 'https://posthorn.example'],
    ['0.0.0.0', 'http://localhost:3000'],
  ])('%s cannot be reached by %s', (host, server) => {
    expect(() => receiverUrl({ host, port: 80, path }, server)).toThrow(UsageError)
  })
})

test('filterSource: a function body that selects by event and account', () => {
  expect(filterSource(undefined, undefined)).toBeUndefined()
  const source = filterSource(['messageNew'], `a"b\u2028`) ?? ''
  const filter = (payload: object) =>
    runInNewContext(`((payload) => { ${source} })(payload)`, { payload }) as boolean
  expect(filter({ event: 'messageNew', account: `a"b\u2028` })).toBe(true)
  expect(filter({ event: 'messageSent', account: `a"b\u2028` })).toBe(false)
  expect(filter({ event: 'messageNew', account: 'a' })).toBe(false)
})
