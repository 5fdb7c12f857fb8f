import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { createSealer, createUnsealer, keyPairFromSecret, readPublicKey } from '@posthorn/secrets'
import { readConfig } from '../src/config.ts'

/** Runs the command that prints encryption keys, in a child process. */
async function printKeys(args: string[], env: Record<string, string> = {}) {
  const main = join(import.meta.dirname, '../src/keys-main.ts')
  return promisify(execFile)(process.execPath, [main, ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
}

const variablesIn = (text: string) =>
  Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  )

test('keys-main: auth-bridge reads the secret, and unseals what the public key sealed', async () => {
  const { code, stdout } = await printKeys(['--format', 'env'])
  expect(code).toBe(0)
  const { SVC_SECRET, SVC_SECRET_PUBLIC_KEY } = variablesIn(stdout)
  const servers = { DATABASE_URL: 'postgres://db/posthorn', AMQP_URL: 'amqp://mq' }
  const { secret } = readConfig({ ...servers, SVC_SECRET })
  const unsealer = createUnsealer([keyPairFromSecret(secret.reveal()).privateKey])
  const sealer = createSealer(readPublicKey(SVC_SECRET_PUBLIC_KEY ?? ''))
  const sealed = await sealer.seal('hush', 'gateways/g')
  expect(await unsealer.unseal(sealed, 'gateways/g')).toBe('hush')
})

test('keys-main: each run makes another secret, with a text of at least 32 bytes', async () => {
  const secrets = await Promise.all([1, 2].map(() => printKeys(['--format', 'json'])))
  const texts = secrets.map(({ stdout }) => (JSON.parse(stdout) as { secret: string }).secret)
  expect(new Set(texts).size).toBe(2)
  for (const text of texts) expect(text).toMatch(/^[0-9a-f]{64}$/)
})

test('keys-main: with SVC_SECRET, prints its public key', async () => {
  const SVC_SECRET = 'of an installation that exists already'
  const { publicKey } = keyPairFromSecret(SVC_SECRET)
  const { stdout } = await printKeys(['--format', 'env'], { SVC_SECRET })
  expect(variablesIn(stdout)).toEqual({ SVC_SECRET, SVC_SECRET_PUBLIC_KEY: publicKey.text })
  const { stdout: part } = await printKeys(['--public'], { SVC_SECRET })
  expect(part).toContain(`public-key: "${publicKey.text}"`)
  expect(part).not.toContain(SVC_SECRET)
  expect(part).not.toContain('posthorn-sealing-private')
})

test.each([
  [['--public'], {}, 'SVC_SECRET: must be set with --public\n'],
  [[], { SVC_SECRET: 'short' }, 'SVC_SECRET: must have at least 32 characters\n'],
  [['--format', 'yaml'], {}, '--format: must be one of secret, env, json, got "yaml"\n'],
] as [string[], Record<string, string>, string][])(
  'keys-main: %j %j is refused, and nothing is printed',
  async (args, env, message) => {
    const { code, stdout, stderr } = await printKeys(args, env)
    expect([code, stdout, stderr]).toEqual([1, '', message])
  },
)
