import { describe, expect, test } from '@jest/globals'
import { CommandError } from '../../exit-codes.ts'
import { parseHeaders, splitRequest } from './stored-request.ts'

describe('splitRequest', () => {
  test.each(['\r\n', '\n'])('keeps the bytes of the body after an empty line (%j)', (end) => {
    const body = '{"a":"\u00e4"}\r\n\r\n\n'
    const head = ['POST /hook HTTP/1.1', 'Webhook-Id: 1', 'X-A: b: c', '', '']
    const { headers, body: bytes } = splitRequest(Buffer.from(head.join(end) + body))
    expect(headers).toEqual({ 'webhook-id': '1', 'x-a': 'b: c' })
    expect(Buffer.from(bytes).toString()).toBe(body)
  })

  test('without an empty line, names the options for two files', () => {
    expect(() => splitRequest(Buffer.from('{"a":1}'))).toThrow(CommandError)
    expect(() => splitRequest(Buffer.from('{"a":1}'))).toThrow('--headers-file')
  })
})

test('parseHeaders: ignores lines that are no header', () => {
  expect(parseHeaders('POST / HTTP/1.1\n\nA:1\nb c: 2\nD :  3 \n')).toEqual({ a: '1', d: '3' })
})
