import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Cyrus, startCyrus } from '@posthorn/local'
import { cacheDirectory } from '@posthorn/local/paths'
import { eventually, isSwitchedOff } from '@posthorn/testkit'
import { ImapFlow } from 'imapflow'
import { scratch } from './scratch.ts'

const { dir, processes, remove } = await scratch()
const rfc822 = 'From: a@mail.test\r\nTo: jane@mail.test\r\nSubject: x\r\n\r\nhello\r\n'

const describeCyrus = isSwitchedOff('TEST_CYRUS') ? describe.skip : describe

describeCyrus('Cyrus', () => {
  let server: Cyrus
  let ca = ''
  beforeAll(async () => {
    server = await startCyrus({ dir: join(dir, 'cyrus'), cache: cacheDirectory(process.env) })
    ca = await readFile(server.certPath, 'utf8')
  })
  afterAll(async () => {
    await server.destroy()
    await remove()
  })

  async function login(user: string, pass = server.password): Promise<ImapFlow> {
    const { host, imapsPort: port } = server
    const options = { host, port, secure: true, auth: { user, pass }, tls: { ca } }
    const client = new ImapFlow({ ...options, logger: false, disableAutoIdle: true })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }

  async function inbox(user: string): Promise<number> {
    const client = await login(user)
    const { exists } = await client.mailboxOpen('INBOX')
    await client.logout()
    return exists
  }

  test('startCyrus: accepts the user name and the address, rejects a wrong password, has a valid certificate', async () => {
    await server.deliver('jane', rfc822)
    await server.deliver('jane@mail.test', rfc822)
    expect(await inbox('jane')).toBe(2)
    expect(await inbox('jane@mail.test')).toBe(2)
    expect(await inbox('john')).toBe(0)
    await expect(login('jane', 'wrong')).rejects.toMatchObject({ authenticationFailed: true })
  })

  test('startCyrus: offers the usual mailboxes and the required extensions', async () => {
    const client = await login('usual')
    const mailboxes = await client.list()
    expect(Object.fromEntries(mailboxes.map(({ path, specialUse }) => [path, specialUse]))).toEqual(
      {
        INBOX: '\\Inbox',
        Drafts: '\\Drafts',
        Sent: '\\Sent',
        Trash: '\\Trash',
        Junk: '\\Junk',
        Archive: '\\Archive',
      },
    )
    for (const name of ['OBJECTID', 'QRESYNC', 'IDLE', 'LIST-STATUS', 'MOVE', 'UIDPLUS'])
      expect([...client.capabilities.keys()]).toContain(name)
    await client.logout()
  })

  test('startCyrus: notifies a client in IDLE of new mail', async () => {
    const client = await login('idler')
    await client.mailboxOpen('INBOX')
    const notified = new Promise((resolve) => client.once('exists', resolve))
    void client.idle()
    await server.deliver('idler', rfc822)
    expect(await notified).toMatchObject({ count: 1 })
    client.close()
  })

  test('startCyrus: after kill and restart, keeps ports and mail', async () => {
    await server.deliver('kept', rfc822)
    await server.kill()
    await expect(inbox('kept')).rejects.toThrow()
    await server.restart()
    expect(await inbox('kept')).toBe(1)
  })

  test('startCyrus: stop leaves no process, and the server starts again', async () => {
    expect(processes().length).toBeGreaterThan(0)
    await server.stop()
    await eventually(() => expect(processes()).toEqual([]))
    await server.restart()
    expect(await inbox('kept')).toBe(1)
  })
})
