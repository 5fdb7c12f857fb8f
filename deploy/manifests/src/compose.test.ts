import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { duration, type Env, required } from '@posthorn/config'
import { checkCompose } from './compose.ts'
import { describeProcess } from './environment.ts'

const folder = mkdtempSync(join(tmpdir(), 'compose-'))
afterAll(() => rmSync(folder, { recursive: true }))

const valid = `
x-service: &service
  image: posthorn
  restart: unless-stopped
  read_only: true
  cap_drop: [ALL]
  security_opt: ['no-new-privileges:true']
  mem_limit: 512m
  depends_on:
    postgres: { condition: service_healthy }

services:
  postgres:
    image: postgres:18
    volumes: ['postgres:/var/lib/postgresql']

  sender:
    <<: *service
    command: [sender]
    stop_grace_period: 100s
    environment:
      NODE_OPTIONS: --max-old-space-size=320 --max-semi-space-size=16
      DATABASE_URL: postgres://\${POSTGRES_PASSWORD:-laptop}@postgres

volumes:
  postgres:
`

const sender = describeProcess(
  (env: Env) => ({
    databaseUrl: required(env, 'DATABASE_URL'),
    shutdownTimeoutMs: duration(env, 'SVC_SHUTDOWN_TIMEOUT', { fallback: 90_000 }),
  }),
  { DATABASE_URL: 'postgres://db' },
)

function check(text: string): string[] {
  const file = join(folder, 'compose.yaml')
  writeFileSync(file, text)
  return checkCompose(file, new Map([['sender', sender]]), folder)
}

describe('checkCompose', () => {
  test('of a file without faults, returns none', () => {
    expect(check(valid)).toEqual([])
  })

  test.each([
    {
      from: 'stop_grace_period: 100s',
      to: 'stop_grace: 100s',
      line: 20,
      fault: 'service sender: services.sender.stop_grace is not a field',
    },
    {
      from: 'command: [sender]',
      to: 'command: [sendr]',
      line: 19,
      fault: 'service sender: the image has no process "sendr"',
    },
    {
      from: 'DATABASE_URL: ',
      to: 'DATABASE_UR: ',
      line: 23,
      fault: 'service sender: sender does not read DATABASE_UR',
    },
    {
      from: 'mem_limit: 512m',
      to: 'mem_limit: 400m',
      line: 8,
      fault:
        'service sender: the memory limit 400m is less than 432 MiB: heap 320, young generation 3 × 16, 64',
    },
    {
      from: 'cap_drop: [ALL]',
      to: 'cap_drop: []',
      line: 6,
      fault: 'service sender: cap_drop must be ALL',
    },
    {
      from: 'stop_grace_period: 100s',
      to: 'stop_grace_period: 90s',
      line: 20,
      fault: 'service sender: stop_grace_period is 90 s, but drain and shutdown take 90 s',
    },
    {
      from: 'postgres: { condition',
      to: 'postgre: { condition',
      line: 10,
      fault: 'service sender: service postgre does not exist',
    },
    {
      from: "'postgres:/var",
      to: "'pgdata:/var",
      line: 15,
      fault: 'service postgres: volume pgdata does not exist',
    },
  ])('of a broken file, returns its fault: $fault', ({ from, to, line, fault }) => {
    const lines = check(valid.replace(from, to))
    expect(lines).toContain(`compose.yaml:${line}: ${fault}`)
  })
})
