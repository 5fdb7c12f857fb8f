import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterAll, expect, test } from '@jest/globals'
import { configPath, readLogin, writeLogin } from './config-file.ts'
import { resolveConnection, toToken, toUrl } from './connection.ts'

const dir = mkdtempSync(join(tmpdir(), 'posthorn-connection-'))
afterAll(() => rmSync(dir, { recursive: true }))
const home = { HOME: dir }
const stored = { url: 'https://stored.example', token: 'stored-token' }
const stdin = Readable.from(['piped-token\n'])
const contextOf = (env: Record<string, string>, stderr = new PassThrough()) => ({
  terminal: { env, stdin, stderr },
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

test('writeLogin: with a path that cannot be written, fails with a remedy and leaves no file', async () => {
  const folder = join(dir, 'unwritable')
  mkdirSync(join(folder, 'config.json'), { recursive: true })
  await expect(writeLogin(join(folder, 'config.json'), stored)).rejects.toThrow(
    /cannot be written: .*POSTHORN_CONFIG/,
  )
  expect(readdirSync(folder)).toEqual(['config.json'])
})

test('resolveConnection: with a login that other users can read, prints a warning', async () => {
  const path = join(dir, 'readable.json')
  await writeLogin(path, stored)
  const stderr = new PassThrough()
  const context = contextOf({ POSTHORN_CONFIG: path }, stderr)
  await resolveConnection({}, context)
  expect(stderr.read()).toBeNull()
  chmodSync(path, 0o644)
  expect(await resolveConnection({}, context)).toEqual(stored)
  expect(String(stderr.read())).toContain('chmod 600')
})

test('toToken: removes spaces around a token, rejects other characters without showing them', () => {
  expect(toToken(' abc\r\n')).toBe('abc')
  for (const text of ['first\nsecond', 'two words', 'schlüssel', '\u001b[31m', '  '])
    expect(() => toToken(text)).toThrow(/^the access token has spaces or other characters/)
})
