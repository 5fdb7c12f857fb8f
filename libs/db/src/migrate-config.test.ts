import { expect, test } from '@jest/globals'
import { serviceNames } from '@posthorn/contracts/services'
import { defaultLockTimeoutMs, readMigrateConfig } from './migrate-config.ts'
import { statementTimeoutMs } from './role-timeouts.ts'

const DATABASE_OWNER_URL = 'postgres://owner@postgres/posthorn'

test('readMigrateConfig: invalid JSON of passwords, throws without a part of them', () => {
  // The error message of the JSON parser would quote the text around the syntax error, and with the
  // text a password.
  const SVC_DATABASE_ROLE_PASSWORDS = `{"posthorn_sender": 'se"cret'}`
  expect(() => readMigrateConfig({ DATABASE_OWNER_URL, SVC_DATABASE_ROLE_PASSWORDS })).toThrow(
    /^SVC_DATABASE_ROLE_PASSWORDS: must be a JSON object$/,
  )
})

test('readMigrateConfig: reads the passwords of the roles', () => {
  const SVC_DATABASE_ROLE_PASSWORDS = '{"posthorn_sender":"secret"}'
  expect(readMigrateConfig({ DATABASE_OWNER_URL, SVC_DATABASE_ROLE_PASSWORDS })).toEqual({
    ownerUrl: DATABASE_OWNER_URL,
    rolePasswords: { posthorn_sender: 'secret' },
    lockTimeoutMs: 3_000,
    maxWaitMs: 600_000,
  })
})

test.each(serviceNames)(
  'readMigrateConfig: a statement of %s may wait longer than a migration for a lock',
  (service) => {
    const { lockTimeoutMs } = readMigrateConfig({ DATABASE_OWNER_URL })
    expect(lockTimeoutMs).toBe(defaultLockTimeoutMs)
    // An SQL statement of the service and the migration may begin to wait for a lock
    // simultaneously. The end of the migration's wait takes some time.
    expect(statementTimeoutMs(service)).toBeGreaterThanOrEqual(lockTimeoutMs + 1_000)
  },
)
