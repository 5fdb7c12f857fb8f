import { expect, test } from '@jest/globals'
import type { ListenerAddress } from './reloadable-listener.ts'
import { startWithTlsPort } from './start-mail-listener.ts'

const address = { host: '127.0.0.1', port: 2993, tls: false, proxy: false }

/** Fake listeners for mail clients, which record the open addresses. Port 1 cannot be opened. */
function listeners() {
  const open = new Set<ListenerAddress>()
  const start = async (each: ListenerAddress) => {
    if (each.port === 1) throw new Error('port is in use')
    open.add(each)
    return { [Symbol.asyncDispose]: async () => void open.delete(each) }
  }
  return { open, start }
}

test('startWithTlsPort: with a TLS port, listens at both until disposed', async () => {
  const { open, start } = listeners()
  const listener = await startWithTlsPort(address, 2994, start)
  expect([...open]).toEqual([address, { ...address, port: 2994, tls: true }])
  await listener[Symbol.asyncDispose]()
  expect(open.size).toBe(0)
})

test('startWithTlsPort: the TLS port cannot be opened, closes the first listener', async () => {
  const { open, start } = listeners()
  await expect(startWithTlsPort(address, 1, start)).rejects.toThrow('port is in use')
  expect(open.size).toBe(0)
})
