import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { readUsersConfig } from './users-config.ts'

const folder = mkdtempSync(join(tmpdir(), 'users-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

test('readUsersConfig: reads variables that are mounted as files', () => {
  const api = 'https://admin:secret@rabbitmq:15671/mail'
  const env = {
    AMQP_ADMIN_URL_FILE: file('url', `${api}\n`),
    SVC_AMQP_PASSWORDS_FILE: file('passwords', '{"posthorn_sender":"one"}'),
  }
  const passwords = { posthorn_sender: 'one' }
  expect(readUsersConfig(env)).toEqual({ api, vhost: 'mail', passwords })
})

test('readUsersConfig: without path in the URL, selects the virtual host /', () => {
  const config = readUsersConfig({ AMQP_ADMIN_URL: 'http://admin:secret@rabbitmq:15672' })
  expect(config).toMatchObject({ vhost: '/', passwords: {} })
})

test.each([
  [{}, 'AMQP_ADMIN_URL: must be set'],
  [{ AMQP_ADMIN_URL: 'amqp://rabbitmq' }, 'AMQP_ADMIN_URL: must be an address'],
  [
    { AMQP_ADMIN_URL: 'http://rabbitmq', SVC_AMQP_PASSWORDS: '{secret' },
    /^SVC_AMQP_PASSWORDS: must be a JSON object$/,
  ],
])('readUsersConfig: of %j, throws without the value', (env, message) => {
  expect(() => readUsersConfig(env)).toThrow(message)
})
