import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { startDovecot } from '@posthorn/local'
import { cacheDirectory } from '@posthorn/local/paths'
import { eventually } from '@posthorn/testkit'
import { ImapFlow } from 'imapflow'
import { scratch } from './scratch.ts'

const { dir, processes, remove } = await scratch()
const server = await startDovecot({ dir: join(dir, 'dovecot'), cache: cacheDirectory(process.env) })
const ca = await readFile(server.certPath, 'utf8')
afterAll(() => server.destroy().then(remove))

async function inbox(user: string, pass = server.password): Promise<number> {
  const client = new ImapFlow({
    host: server.host,
    port: server.imapsPort,
    secure: true,
    auth: { user, pass },
    logger: false,
    tls: { ca },
  })
  client.on('error', () => undefined)
  await client.connect()
  const { exists } = await client.mailboxOpen('INBOX')
  await client.logout()
  return exists
}

const rfc822 = 'From: a@mail.test\r\nTo: jane@mail.test\r\nSubject: x\r\n\r\nhello\r\n'

test('startDovecot: accepts the user name and the address, rejects a wrong password, has a valid certificate', async () => {
  await server.deliver('jane', rfc822)
  expect(await inbox('jane')).toBe(1)
  expect(await inbox('jane@mail.test')).toBe(1)
  expect(await inbox('john')).toBe(0)
  await expect(inbox('jane', 'wrong')).rejects.toMatchObject({ authenticationFailed: true })
})

test('startDovecot: after kill and restart, keeps ports and mail', async () => {
  await server.kill()
  await expect(inbox('jane')).rejects.toThrow()
  await server.restart()
  expect(await inbox('jane')).toBe(1)
})

test('startDovecot: stop leaves no process, and the server starts again', async () => {
  expect(processes().length).toBeGreaterThan(0)
  await server.stop()
  await eventually(() => expect(processes()).toEqual([]))
  await server.restart()
  expect(await inbox('jane')).toBe(1)
})
