import { once } from 'node:events'
import { connect as connectTls } from 'node:tls'
import { afterAll, expect, test } from '@jest/globals'
import { Secret } from '@posthorn/config'
import { eventually, freePort } from '@posthorn/testkit'
import { testCertificate } from './certificate.ts'
import { testProxy } from './proxy.ts'
import { RawClient } from './raw-client.ts'

// Tests of SVC_IMAP_PROXY_TLS_PORT: one imap-proxy process serves STARTTLS and implicit TLS.

const { cert, key } = testCertificate()
const tlsPort = await freePort()
const proxy = await testProxy({ tlsCert: cert, tlsKey: new Secret(key), tlsPort })
const replica = await proxy.start()
afterAll(async () => {
  await replica[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
})

const greetingOverTls = async () => {
  const socket = connectTls({ port: tlsPort, ca: cert, servername: 'localhost' })
  await once(socket, 'secureConnect')
  const client = new RawClient(socket)
  const greeting = await client.until(/\r\n/)
  client.close()
  return greeting
}

test('TLS port: implicit TLS there, STARTTLS at the port of the settings', async () => {
  await eventually(async () => expect(await greetingOverTls()).toMatch(/^\* OK/))
  const client = await proxy.open()
  expect(await client.command('a CAPABILITY')).toMatch(/STARTTLS/)
  client.close()
})

test('TLS port: closes and opens with the proxy', async () => {
  await proxy.set({ imapProxyServerEnabled: false })
  await eventually(() => expect(greetingOverTls()).rejects.toMatchObject({ code: 'ECONNREFUSED' }))
  await proxy.set({ imapProxyServerEnabled: true })
  await eventually(async () => expect(await greetingOverTls()).toMatch(/^\* OK/))
})
