import { expect, test } from '@jest/globals'
import { freePort } from '@posthorn/testkit'
import { quietLogger } from '../quiet-logger.ts'
import type { TestEnvironment } from '../environment.ts'
import { silentPort } from '../tcp-link.ts'

export function connectingCases({ backend, account }: TestEnvironment): void {
  test('MailSession: disposed of, closes without a reason, and has its user', async () => {
    await using one = await account()
    const session = await backend.connect(one.options)
    expect(session.user).toBe(one.options.credentials.user)
    await session.ping()
    await session[Symbol.asyncDispose]()
    await expect(session.closed).resolves.toBeUndefined()
    await expect(session.ping()).rejects.toMatchObject({ name: 'AppError', kind: 'unreachable' })
  })

  test('ImapBackend.connect: implicit TLS', async () => {
    await using one = await account()
    await using session = await backend.connect(one.tls)
    expect(await session.select('INBOX')).toMatchObject({ messages: 0 })
  })

  test('ImapBackend.connect: wrong credentials, is unauthorized and logs no secret', async () => {
    await using one = await account()
    const lines: string[] = []
    const pass = 'wrong-e5b0f1'
    const options = {
      ...one.options,
      credentials: { user: one.options.credentials.user, pass },
      log: quietLogger(lines),
    }
    await expect(backend.connect(options)).rejects.toMatchObject({
      kind: 'unauthorized',
      code: 'AUTHENTICATIONFAILED',
      extras: { info: { response: expect.any(String) } },
    })
    const encoded = Buffer.from(`\0${options.credentials.user}\0${pass}`).toString('base64')
    expect(lines.filter((line) => line.includes(pass) || line.includes(encoded))).toEqual([])
  })

  test('ImapBackend.connect: closed port, is unreachable', async () => {
    await using one = await account()
    const connecting = backend.connect({ ...one.options, port: await freePort() })
    await expect(connecting).rejects.toMatchObject({ kind: 'unreachable', code: 'ECONNREFUSED' })
  })

  test('ImapBackend.connect: unknown host, is unreachable', async () => {
    await using one = await account()
    const connecting = backend.connect({ ...one.options, host: 'unknown.invalid' })
    // The error of the IMAP connection has the code EAI_AGAIN if the name server is unavailable.
    const code = expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/)
    await expect(connecting).rejects.toMatchObject({ kind: 'unreachable', code })
  })

  test('ImapBackend.connect: blocked host, is forbidden', async () => {
    await using one = await account()
    const connecting = backend.connect({ ...one.options, egress: 'private' })
    await expect(connecting).rejects.toMatchObject({ kind: 'forbidden', code: 'EEGRESSBLOCKED' })
  })

  test('ImapBackend.connect: silent server, fails after the timeout', async () => {
    await using one = await account()
    await using hole = await silentPort()
    const connecting = backend.connect({ ...one.options, port: hole.port, connectTimeoutMs: 300 })
    await expect(connecting).rejects.toMatchObject({ kind: 'unreachable', code: 'ETIMEDOUT' })
  })

  test('ImapBackend.connect: signal aborted, stops', async () => {
    await using one = await account()
    await using hole = await silentPort()
    const abort = new AbortController()
    const connecting = backend.connect({ ...one.options, port: hole.port, signal: abort.signal })
    abort.abort()
    await expect(connecting).rejects.toMatchObject({ kind: 'unreachable', code: 'ECANCELED' })
    await expect(backend.connect({ ...one.options, signal: abort.signal })).rejects.toMatchObject({
      kind: 'unreachable',
    })
  })

  test('ImapBackend.connect: invalid certificate, is rejected unless allowed', async () => {
    await using one = await account()
    const { rejectUnauthorized: _, ...strict } = one.options
    const connecting = backend.connect(strict)
    await expect(connecting).rejects.toMatchObject({
      kind: 'unreachable',
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    })
  })
}
