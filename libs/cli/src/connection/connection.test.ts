import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, expect, test } from '@jest/globals'
import { configPath, readLogin, writeLogin } from './config-file.ts'
import { resolveConnection, toUrl } from './connection.ts'

const dir = mkdtempSync(join(tmpdir(), 'posthorn-connection-'))
afterAll(() => rmSync(dir, { recursive: true }))
const home = { HOME: dir }
const stored = { url: 'https://stored.example', token: 'stored-token' }
const stdin = Readable.from(['piped-token\n'])
const contextOf = (env: Record<string, string>) => ({
  terminal: { env, stdin },
  signal: new AbortController().signal,
})

test('writeLogin: only the user can read the file, also if an older file was readable', async () => {
  const path = configPath(home)
  await writeLogin(path, { url: 'https://old.example', token: 'old' })
  chmodSync(path, 0o644)
  await writeLogin(path, stored)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
  expect(await readLogin(path)).toEqual(stored)
  expect(readFileSync(path, 'utf8').endsWith('}\n')).toBe(true)
})

test('readLogin: undefined without a file, an error with a remedy for a damaged file', async () => {
  expect(await readLogin(join(dir, 'absent.json'))).toBeUndefined()
  const damaged = join(dir, 'damaged.json')
  for (const text of ['', '{', 'null', '[]', '{"url":1,"token":"x"}']) {
    writeFileSync(damaged, text)
    await expect(readLogin(damaged)).rejects.toThrow('posthorn login')
  }
})

test('resolveConnection: options, then the environment, then the stored login', async () => {
  const env = { ...home, POSTHORN_URL: 'https://env.example/', POSTHORN_TOKEN: 'env-token' }
  expect(await resolveConnection({}, contextOf(home))).toEqual(stored)
  expect(await resolveConnection({}, contextOf(env))).toEqual({
    url: 'https://env.example',
    token: 'env-token',
  })
  expect(await resolveConnection({ url: 'https://option.example' }, contextOf(env))).toEqual({
    url: 'https://option.example',
    token: 'env-token',
  })
  expect(await resolveConnection({ tokenFile: '-' }, contextOf(env))).toMatchObject({
    token: 'piped-token',
  })
})

test('resolveConnection: sends the stored token to the stored URL only', async () => {
  const other = await resolveConnection({ url: 'https://other.example' }, contextOf(home))
  expect(other).toEqual({ url: 'https://other.example', token: undefined })
  const same = await resolveConnection({ url: 'https://stored.example/' }, contextOf(home))
  expect(same).toEqual(stored)
})

test('toUrl: rejects what is not the URL of a server', () => {
  expect(toUrl('http://localhost:3000/')).toBe('http://localhost:3000')
  expect(toUrl('https://proxy.example/posthorn/')).toBe('https://proxy.example/posthorn')
  for (const text of [
    '',
    'localhost:3000',
    'ftp://x',
    'https://a:b@x',
    'https://x?y',
    'https://x#y',
  ])
    expect(() => toUrl(text)).toThrow()
})
