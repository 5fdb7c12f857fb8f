import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readConfig } from './config.ts'

test('readConfig: default of the sessions per account, is 25 as documented', () => {
  const { maxSessionsPerAccount } = readConfig({
    DATABASE_URL: 'postgres://x',
    AMQP_URL: 'amqp://x',
  })
  expect(maxSessionsPerAccount).toBe(25)
  const page = readFileSync(join(import.meta.dirname, '../../../deploy/configuration.md'), 'utf8')
  expect(page).toContain(`\`SVC_IMAP_PROXY_MAX_SESSIONS_PER_ACCOUNT\` | ${maxSessionsPerAccount} |`)
})
