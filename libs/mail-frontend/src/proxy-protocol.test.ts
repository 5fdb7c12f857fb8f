import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { parseProxyHeader, readProxyHeader } from './proxy-protocol.ts'

const signature = '\r\n\r\n\0\r\nQUIT\n'
const parse = (text: string) => parseProxyHeader(Buffer.from(text, 'latin1'))

function binary(command: number, family: number, body: number[]): Buffer {
  const head = Buffer.from(`${signature}\0\0\0\0`, 'latin1')
  head[12] = 0x20 | command
  head[13] = family
  head.writeUInt16BE(body.length, 14)
  return Buffer.concat([head, Buffer.from(body)])
}

test.each([
  ['PROXY TCP4 192.0.2.1 10.0.0.1 56324 25\r\nEHLO', { address: '192.0.2.1', port: 56_324 }],
  ['PROXY TCP6 2001:db8::1 ::1 1 2\r\n', { address: '2001:db8::1', port: 1 }],
  ['PROXY UNKNOWN\r\n', {}],
  ['PROXY UNKNOWN ffff::1 what ever\r\n', {}],
])('parseProxyHeader: version 1, %p', (text, source) => {
  expect(parse(text)).toEqual({ complete: true, length: text.indexOf('\n') + 1, source })
})

test('parseProxyHeader: version 2 with extensions', () => {
  const ipv4 = binary(1, 0x11, [192, 0, 2, 1, 10, 0, 0, 1, 0xdc, 4, 0, 25, 4, 0, 1, 0])
  expect(parseProxyHeader(ipv4)).toEqual({
    complete: true,
    length: 32,
    source: { address: '192.0.2.1', port: 56_324 },
  })
  const address = [0x20, 1, 0xd, 0xb8, ...Array<number>(11).fill(0), 1]
  expect(parseProxyHeader(binary(1, 0x21, [...address, ...address, 0, 7, 0, 25]))).toMatchObject({
    source: { address: '2001:db8::1', port: 7 },
  })
  expect(parseProxyHeader(binary(0, 0, []))).toMatchObject({ complete: true, source: {} })
})

test('parseProxyHeader: a truncated header is incomplete', () => {
  const line = Buffer.from('PROXY TCP4 192.0.2.1 10.0.0.1 56324 25\r\n')
  const ipv4 = binary(1, 0x11, [192, 0, 2, 1, 10, 0, 0, 1, 0xdc, 4, 0, 25])
  for (const header of [line, ipv4])
    for (let end = 0; end < header.length; end += 1)
      expect(parseProxyHeader(header.subarray(0, end))).toEqual({ complete: false })
})

test.each([
  'EHLO x\r\n',
  'PROXY TCP4 ::1 10.0.0.1 1 2\r\n',
  'PROXY TCP4 192.0.2.1 10.0.0.1 1\r\n',
  'PROXY TCP4 192.0.2.1 10.0.0.1 1 70000\r\n',
  'PROXY TCP4 192.0.2.1 10.0.0.1 1 2 3\r\n',
  'PROXY TCP4 192.0.2.1\n10.0.0.1 1 2\r\n',
  'PROXY TCP9 192.0.2.1 10.0.0.1 1 2\r\n',
  `PROXY ${'x'.repeat(120)}`,
  `${signature}\x11\x11\0\0`,
  `${signature}\x21\x11\xff\xff`,
  `${signature}\x21\x11\0\x01x`,
])('parseProxyHeader: %p is malformed', (text) => {
  expect(parse(text)).toEqual({ malformed: true })
})

test('parseProxyHeader: random bytes never throw', () => {
  let seed = 7
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31
  for (let run = 0; run < 2_000; run += 1) {
    const bytes = Buffer.from(
      Array.from({ length: Math.floor(random() * 80) }, () => random() * 256),
    )
    const start = run % 2 === 0 ? Buffer.from(signature, 'latin1') : Buffer.from('PROXY TCP4 ')
    expect(() => parseProxyHeader(Buffer.concat([start, bytes]))).not.toThrow()
  }
})

test('readProxyHeader: leaves the bytes after the header in the stream', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  client.write('PROXY TCP4 192.0.2.1 ')
  const reading = readProxyHeader(socket)
  client.write('10.0.0.1 1 2\r\nEHLO x\r\n')
  expect(await reading).toEqual({ address: '192.0.2.1', port: 1 })
  const [rest] = (await once(socket, 'data')) as [Buffer]
  expect(rest.toString()).toBe('EHLO x\r\n')
  client.destroy()
  server.close()
})

test('readProxyHeader: without a header, or without any data, returns undefined', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  for (const words of ['EHLO x\r\n', '']) {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [socket] = (await once(server, 'connection')) as [Socket]
    client.write(words)
    expect(await readProxyHeader(socket, 50)).toBeUndefined()
    client.destroy()
    socket.destroy()
  }
  server.close()
})
