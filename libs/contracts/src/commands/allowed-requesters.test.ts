import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { brokerUses, type CommandExchange, sharedQueues } from '../broker-access.ts'
import { serviceNames } from '../services.ts'
import { allowedRequesters } from './allowed-requesters.ts'
import {
  accountCommands,
  credentialCommands,
  oneWayCommands,
  outboxCommands,
  quotaCommands,
  verifyCommands,
} from './index.ts'

const commandsOf = (group: object): string[] =>
  Object.values(group).flatMap((value: unknown) =>
    typeof value === 'object' && value !== null && 'request' in value && 'name' in value
      ? [String(value.name)]
      : [],
  )
const names = [
  accountCommands,
  oneWayCommands,
  credentialCommands,
  outboxCommands,
  quotaCommands,
  verifyCommands,
].flatMap(commandsOf)

test('allowedRequesters: equals the requesters in the README', () => {
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

test('brokerUses: services that may send a command may publish to its exchange', () => {
  const exchanges: [CommandExchange, object][] = [
    ['commands', { ...accountCommands, ...oneWayCommands, ...quotaCommands }],
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

test('brokerUses: each request exchange has exactly one responder service', () => {
  for (const exchange of ['commands', ...sharedQueues] as const)
    expect(
      serviceNames.filter((service) => brokerUses[service].serves.includes(exchange)),
    ).toHaveLength(1)
})
