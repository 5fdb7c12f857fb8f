import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { expect, test } from '@jest/globals'
import { selfSigned } from './certificate.ts'

test('selfSigned: issues a certificate for its names, signed with its own key', () => {
  const { cert, key } = selfSigned(['mail.test', '127.0.0.1'])
  const certificate = new X509Certificate(cert)
  expect(certificate.subject).toBe('CN=mail.test')
  expect(certificate.subjectAltName).toBe('DNS:mail.test, IP Address:127.0.0.1')
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(key).toContain('PRIVATE KEY')
  expect(certificate.ca).toBe(true)
  expect(new Date(certificate.validTo).getTime()).toBeGreaterThan(
    Date.now() + 9 * 365 * 24 * 3600 * 1000,
  )
})

test('selfSigned: a client that trusts the certificate connects', async () => {
  const { cert, key } = selfSigned(['localhost', '127.0.0.1'])
  const server = createServer({ cert, key }, (socket) => socket.end('hello'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    ca: cert,
  })
  await once(socket, 'secureConnect')
  expect(socket.authorized).toBe(true)
  socket.destroy()
  server.close()
})
