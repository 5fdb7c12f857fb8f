import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { encode } from '@msgpack/msgpack'
import { readExportFile } from '../src/index.ts'
import { collect, inputOf, skippedOf } from './entries.ts'
import { tokenIdOf } from './store-writer.ts'

const dir = await mkdtemp(join(tmpdir(), 'posthorn-export-file-'))
afterAll(() => rm(dir, { recursive: true }))

async function read(text: string | Buffer) {
  const path = join(dir, 'file')
  await writeFile(path, text)
  return collect(readExportFile(path))
}

/** Account as `emailengine export` writes it: typed values, secrets in plaintext. */
const account = {
  account: 'ann',
  name: 'Ann',
  email: 'ann@example.com',
  path: ['*'],
  copy: true,
  notifyFrom: '2025-03-04T05:06:07.000Z',
  state: 'connected',
  lastErrorState: null,
  counters: { events: { messageNew: 3 } },
  imap: { host: 'imap.test', port: 993, secure: true, auth: { user: 'ann', pass: 'p' } },
}
const token = (value: string, record: object) =>
  Buffer.from(encode({ id: tokenIdOf(value), ...record })).toString('base64url')

describe('readExportFile', () => {
  test.each([
    ['one account', JSON.stringify(account, null, 2)],
    ['a list of accounts', JSON.stringify([account])],
    ['an account per line', `${JSON.stringify(account)}\n`],
  ])('with %s, maps the account', async (_name, text) => {
    const entries = await read(text)
    expect(entries.map(inputOf<unknown>)).toEqual([
      {
        account: 'ann',
        name: 'Ann',
        email: 'ann@example.com',
        copy: true,
        notifyFrom: '2025-03-04T05:06:07.000Z',
        imap: account.imap,
      },
    ])
  })

  test('with tokens, maps each line', async () => {
    const first = token('a1'.repeat(32), {
      scopes: ['api'],
      description: 'd',
      created: new Date(0),
    })
    const second = token('b2'.repeat(32), { scopes: ['smtp'], account: 'ann' })
    const entries = await read(`${first}\n${second}\n`)
    expect(entries.map(inputOf<unknown>)).toEqual([
      {
        id: tokenIdOf('a1'.repeat(32)),
        scopes: ['api'],
        description: 'd',
        created: '1970-01-01T00:00:00.000Z',
      },
      { id: tokenIdOf('b2'.repeat(32)), scopes: ['smtp'], account: 'ann' },
    ])
  })

  test('skips broken accounts and tokens', async () => {
    const nameless = JSON.stringify([{ name: 'x' }, account, { account: 'b', imap: 'x' }])
    expect(skippedOf(await read(nameless))).toEqual([
      ['account 1 of the file', 'the member account is missing'],
      ['b', expect.stringMatching(/^"imap" must be/)],
    ])
    const tokens = `wQ\n${Buffer.from(encode({ scopes: ['api'] })).toString('base64url')}`
    expect(skippedOf(await read(tokens))).toEqual([
      ['token 1 of the file', 'the value is not valid MessagePack'],
      ['token 2 of the file', 'the member id is missing'],
    ])
  })

  test.each([
    ['broken JSON', '{"account": "x"', /^The file is not valid JSON/],
    ['another text', 'Error: no such account!', /^The file contains neither accounts nor tokens/],
    ['bytes', Buffer.from([0, 255, 1]), /^The file contains neither accounts nor tokens/],
  ])('with %s, fails with the remedy', async (_name, text, message) => {
    await expect(read(text)).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(message),
    })
  })

  test('with an empty file, returns nothing', async () => {
    expect(await read('')).toEqual([])
  })
})
