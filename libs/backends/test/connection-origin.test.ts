import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from '@jest/globals'
import { release } from '@posthorn/config/release'
import { backend, start } from './scripted-session.ts'

/** Source address of a connection to a mail server that rejects the connection with BYE. */
async function sourceAddressOf(localAddresses: readonly string[]): Promise<string | undefined> {
  const { options } = await start()
  let from: string | undefined
  const server = createServer((socket) => {
    from = socket.remoteAddress
    socket.end('* BYE not now\r\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await expect(backend.connect({ ...options, port, localAddresses })).rejects.toThrow()
  server.close()
  return from
}

test("ImapBackend.connect: localAddresses, uses the first local one of the server's family", async () => {
  expect(await sourceAddressOf(['192.0.2.1', '::1', '127.0.0.7', '127.0.0.8'])).toBe('127.0.0.7')
  expect(await sourceAddressOf(['192.0.2.1'])).toBe('127.0.0.1')
})

test('ImapBackend.connect: clientInfo, is sent with ID over the default values', async () => {
  const CAPABILITY = () => ['* CAPABILITY IMAP4rev1 ID', '{tag} OK done']
  const ID = () => ['* ID NIL', '{tag} OK done']
  const { options, received } = await start({ CAPABILITY, ID })
  const clientInfo = { name: 'Us', 'support-url': 'https://us.example' }
  await using _one = await backend.connect({ ...options, clientInfo })
  const idCommand = received.find((line) => line.startsWith('ID ')) ?? ''
  expect(idCommand).toContain('"name" "Us"')
  expect(idCommand).toContain('"support-url" "https://us.example"')
  expect(idCommand).toContain('"vendor" "Posthorn"')
  expect(idCommand).toContain(`"version" "${release.version}"`)
})
