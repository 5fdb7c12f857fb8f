import { expect, test } from '@jest/globals'
import { keyPairFromSecret } from '@posthorn/secrets'
import { readConfig } from './config.ts'

const env = {
  DATABASE_URL: 'postgres://u:p@db/x',
  AMQP_URL: 'amqp://u:p@mq/',
  SVC_SECRET: 's'.repeat(32),
}

test('readConfig: an unset variable has its default', () => {
  expect(readConfig(env)).toMatchObject({
    port: 3000,
    timeoutMs: 10_000,
    maxBodyBytes: 50 * 1024 ** 2,
    requireApiAuth: true,
    settings: undefined,
    preparedToken: undefined,
    firstTokenFile: undefined,
  })
})

test('readConfig: reads all kinds of variables, and names unknown settings', () => {
  const config = readConfig({
    ...env,
    SVC_TIMEOUT: '1m',
    SVC_MAX_BODY_SIZE: '5MB',
    SVC_REQUIRE_API_AUTH: 'false',
    SVC_SETTINGS: '{"notifyText":false,"ofAnotherRelease":1}',
    SVC_PREPARED_TOKEN: 'x'.repeat(32),
  })
  expect(config).toMatchObject({
    timeoutMs: 60_000,
    maxBodyBytes: 5 * 1024 ** 2,
    requireApiAuth: false,
    settings: { notifyText: false },
    unknownSettings: ['ofAnotherRelease'],
  })
  expect(config.preparedToken?.reveal()).toBe('x'.repeat(32))
})

test('sealingKey: the configured public key, or that of SVC_SECRET', () => {
  const { publicKey } = keyPairFromSecret(env.SVC_SECRET)
  expect(readConfig(env).sealingKey.id).toBe(publicKey.id)
  const { SVC_SECRET: _secret, ...without } = env
  expect(readConfig({ ...without, SVC_SECRET_PUBLIC_KEY: publicKey.text }).sealingKey.id).toBe(
    publicKey.id,
  )
})

test.each([
  ['SVC_SECRET', '', /^SVC_SECRET_PUBLIC_KEY: must be set, or SVC_SECRET instead$/],
  ['SVC_SECRET', 's'.repeat(31), /^SVC_SECRET: must have at least 32 characters$/],
  [
    'SVC_SETTINGS',
    '{"smtpServerPassword":"for all"}',
    /^SVC_SETTINGS: "smtpServerPassword" .*32 characters/,
  ],
  [
    'SVC_SETTINGS',
    '{"imapProxyServerPassword":"for all"}',
    /^SVC_SETTINGS: "imapProxyServerPassword" .*32 characters/,
  ],
  ['SVC_SECRET_PUBLIC_KEY', 'abc', /^SVC_SECRET_PUBLIC_KEY: must be 32 bytes/],
  ['SVC_TIMEOUT', 'x', /^SVC_TIMEOUT: must be a duration/],
  ['SVC_MAX_BODY_SIZE', '1', /^SVC_MAX_BODY_SIZE: must be between/],
  ['SVC_REQUIRE_API_AUTH', 'maybe', /^SVC_REQUIRE_API_AUTH: must be true or false/],
  ['SVC_SETTINGS', '[]', /^SVC_SETTINGS: must be a JSON object/],
  [
    'SVC_SETTINGS',
    '{"webhooks":"x"}',
    /^SVC_SETTINGS: "webhooks" must be a valid http or https URL/,
  ],
  [
    'SVC_PREPARED_TOKEN',
    `sess_${'x'.repeat(43)}`,
    /^SVC_PREPARED_TOKEN: must not start with sess_/,
  ],
  ['SVC_PREPARED_TOKEN', 'short', /^SVC_PREPARED_TOKEN: must be 32 to 256/],
])('readConfig: %s=%s, throws with the name', (name, value, reason) => {
  expect(() => readConfig({ ...env, [name]: value })).toThrow(reason)
})
