import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { brokerUses, type CommandExchange, sharedQueues } from '../broker-access.ts'
import { serviceNames } from '../services.ts'
import { allowedRequesters } from './allowed-requesters.ts'
import { accountCommands, credentialCommands, outboxCommands, verifyCommands } from './index.ts'

const commandsOf = (group: object): string[] =>
  Object.values(group).flatMap((value: unknown) =>
    typeof value === 'object' && value !== null && 'request' in value && 'name' in value
      ? [String(value.name)]
      : [],
  )
const names = [accountCommands, credentialCommands, outboxCommands, verifyCommands].flatMap(
  commandsOf,
)

test('who may ask a command is who the catalogue says asks it', () => {
  const page = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
  const rows = new Map(
    [...page.matchAll(/^\| `(\w+)`\s*\| ([\w, -]+?)\s*\|/gm)].map(([, name = '', askers = '']) => [
      name,
      askers.split(', ').sort(),
    ]),
  )
  expect(names.length).toBeGreaterThan(30)
  for (const name of names)
    expect([name, rows.get(name)]).toEqual([name, allowedRequesters(name).toSorted()])
})

test('whoever may ask a command may publish to where it is asked', () => {
  const exchanges: [CommandExchange, object][] = [
    ['commands', accountCommands],
    ['credentials', credentialCommands],
    ['outbox', outboxCommands],
  ]
  for (const [exchange, group] of exchanges) {
    const askers = new Set(commandsOf(group).flatMap(allowedRequesters))
    const publishers = serviceNames.filter((service) =>
      brokerUses[service].requests.includes(exchange),
    )
    expect([exchange, publishers.sort()]).toEqual([exchange, [...askers].sort()])
  }
})

test('every question has one service that answers it, and no service reads what another is asked', () => {
  for (const exchange of ['commands', ...sharedQueues] as const)
    expect(
      serviceNames.filter((service) => brokerUses[service].serves.includes(exchange)),
    ).toHaveLength(1)
})
