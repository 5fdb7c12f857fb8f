import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Secret } from '@posthorn/config'
import { eventually, testDovecot } from '@posthorn/testkit'
import { testCertificate } from './certificate.ts'
import { imapOf, testProxy } from './proxy.ts'

// Tests of imap-proxy with third-party mail clients in plaintext, with STARTTLS and implicit TLS.
// Clients that are not installed are skipped.

const run = promisify(execFile)
const has = (program: string) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
const testWith = (program: string) => (has(program) ? test : test.skip)

const { cert, key } = testCertificate()
const dovecot = await testDovecot()
const proxy = await testProxy({ tlsCert: cert, tlsKey: new Secret(key) })
const dir = await mkdtemp(join(tmpdir(), 'posthorn-clients-'))
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await dovecot.drop()
  await rm(dir, { recursive: true })
})

const user = dovecot.freshUser()
const subject = 'Subject: from elsewhere'
let token: string
beforeAll(async () => {
  await proxy.addAccount('acc', imapOf(user), { user: user.user, pass: user.pass })
  token = await proxy.addToken({ account: 'acc' })
  await dovecot.deliver(user.user, `${subject}\r\n\r\nhello\r\n`)
})

let overTls: boolean | undefined

/** Switches the listener of imap-proxy between implicit TLS and STARTTLS. */
async function listen(tls: boolean): Promise<void> {
  if (overTls === tls) return
  overTls = tls
  await proxy.set({ imapProxyServerTLSEnabled: tls })
  const url = `${tls ? 'imaps' : 'imap'}://127.0.0.1:${proxy.port}/`
  if (has('curl')) await eventually(() => run('curl', ['-sk', '-m', '5', url, '-X', 'NOOP']))
}

const python = `
import imaplib, ssl, sys, time
how, port, token = sys.argv[1], int(sys.argv[2]), sys.argv[3]
context = ssl._create_unverified_context()
for turn in range(100):
    try:
        client = imaplib.IMAP4_SSL('127.0.0.1', port, ssl_context=context) if how == 'tls' else imaplib.IMAP4('127.0.0.1', port)
        break
    except (OSError, imaplib.IMAP4.error):
        time.sleep(0.1)
if how == 'starttls': client.starttls(context)
if how == 'bearer': client.authenticate('XOAUTH2', lambda _: f'user=acc\\x01auth=Bearer {token}\\x01\\x01'.encode())
elif how == 'plain': client.authenticate('PLAIN', lambda _: b'\\0acc\\0' + token.encode())
else: client.login('acc', token)
assert client.select('INBOX')[0] == 'OK'
body = b'Subject: big\\r\\n\\r\\n' + b'0123456789abcdef' * 65536 + b'\\r\\n'
assert client.append('INBOX', None, None, body)[0] == 'OK'
client.noop()
number = client.search(None, 'SUBJECT', 'big')[1][0].split()[-1]
assert client.fetch(number, '(BODY[])')[1][0][1] == body
client.logout()
print('ok')
`

testWith('python3')('imaplib: logs in with every mechanism, appends and reads 1 MB', async () => {
  for (const [how, tls] of [
    ['clear', false],
    ['starttls', false],
    ['plain', false],
    ['bearer', false],
    ['tls', true],
  ] as const) {
    await listen(tls)
    const { stdout } = await run('python3', ['-c', python, how, String(proxy.port), token])
    expect([how, stdout]).toEqual([how, 'ok\n'])
  }
})

testWith('curl')(
  'curl: reads a message in plaintext, with STARTTLS, a bearer token and implicit TLS',
  async () => {
    const basic = ['-u', `acc:${token}`]
    const bearer = ['-u', 'acc:', '--oauth2-bearer', token]
    for (const [tls, more] of [
      [false, basic],
      [false, [...basic, '--ssl-reqd']],
      [false, bearer],
      [true, basic],
    ] as const) {
      await listen(tls)
      const url = `${tls ? 'imaps' : 'imap'}://127.0.0.1:${proxy.port}/INBOX;MAILINDEX=1`
      const { stdout } = await run('curl', ['-sSk', '-m', '60', ...more, url])
      expect(stdout).toContain(subject)
    }
  },
)

testWith('mbsync')('mbsync: copies a mailbox', async () => {
  await listen(true)
  await writeFile(join(dir, 'cert.pem'), cert)
  const config = `
IMAPStore far
Host localhost
Port ${proxy.port}
User acc
Pass ${token}
SSLType IMAPS
CertificateFile ${join(dir, 'cert.pem')}

MaildirStore near
Path ${dir}/mail/
Inbox ${dir}/inbox

Channel all
Far :far:
Near :near:
Create Near
SyncState *
`
  await writeFile(join(dir, 'mbsyncrc'), config)
  await mkdir(join(dir, 'mail'))
  await run('mbsync', ['-c', join(dir, 'mbsyncrc'), 'all'], { env: { ...process.env, HOME: dir } })
  const folders = ['new', 'cur'].map((folder) => join(dir, 'inbox', folder))
  const files = await Promise.all(
    folders.map(async (folder) => (await readdir(folder)).map((file) => join(folder, file))),
  )
  const texts = await Promise.all(files.flat().map((file) => readFile(file, 'utf8')))
  expect(texts.some((text) => text.includes(subject))).toBe(true)
})
