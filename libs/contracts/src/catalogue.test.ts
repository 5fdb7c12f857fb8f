import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import {
  accountCommands,
  credentialCommands,
  oneWayCommands,
  outboxCommands,
  quotaCommands,
  verifyCommands,
} from './commands/index.ts'
import { eventNames, events } from './events/index.ts'
import { allOperations, operations } from './operations/index.ts'

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8')

/** Cells of the table below a heading of the contracts' README, without code marks. */
function rows(heading: string): string[][] {
  const [, section = ''] = readme.split(`\n## ${heading}\n`)
  const [table = ''] = section.split('\n## ')
  const lines = table.split('\n').filter((line) => line.startsWith('| `'))
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}
const names = (heading: string) => rows(heading).map(([name = '']) => name)

test('README: lists all operations with their path and permission', () => {
  const listed = rows('Operations').map((row) => row.slice(0, 3).join(' | '))
  const actual = allOperations.map(({ id, method, path, permission: { action, group } }) => {
    const address = `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`
    return `${id} | ${address} | ${action}, ${group}`
  })
  expect(listed.sort()).toEqual(actual.sort())
})

test('README: lists all commands', () => {
  const actual = [
    ...Object.values(accountCommands),
    ...Object.values(oneWayCommands),
    ...Object.values(credentialCommands),
    ...Object.values(verifyCommands),
    ...Object.values(outboxCommands),
    ...Object.values(quotaCommands),
  ]
  const commands = actual.flatMap((command) => ('request' in command ? [command.name] : []))
  expect(names('Commands').sort()).toEqual(commands.sort())
})

test('README: lists all events', () => {
  expect(names('Events').sort()).toEqual([...eventNames].sort())
})

test('contracts: ids and names equal the exported names', () => {
  for (const [name, operation] of Object.entries(operations)) expect(operation.id).toBe(name)
  for (const [name, event] of Object.entries(events)) expect(event.name).toBe(name)
})
