import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  accountCommands,
  credentialCommands,
  oneWayCommands,
  outboxCommands,
  quotaCommands,
  verifyCommands,
} from '../commands/index.ts'
import { EventMessageSchema } from '../events/envelope.ts'
import { events } from '../events/index.ts'
import { Invalidation, SubmissionHint } from '../hints.ts'
import { buildOpenApi } from '../openapi/build.ts'
import { allOperations } from '../operations/index.ts'
import {
  addressSettings,
  privilegedSettings,
  secretSettings,
  seededSettings,
  settingDefaults,
  settings,
  SettingsUpdate,
} from '../settings/settings.ts'
import { stripProse } from './strip-prose.ts'

export const baselineFile = join(import.meta.dirname, 'baseline.jsonl')

/**
 * Baseline with which API, command and event contracts are compared to find changes: each contract
 * by its name, such as `event messageNew`.
 */
export type Baseline = Record<string, unknown>

/**
 * Builds the baseline of the contracts: all contracts sorted by name, without their prose (titles
 * and descriptions).
 */
export function buildBaseline(): Baseline {
  const { paths, webhooks, components, ...rest } = buildOpenApi('') as Record<string, object>
  const { schemas, ...otherComponents } = components as { schemas: object }
  const parts: [string, object][] = [
    ['openapi', { document: { ...rest, components: otherComponents } }],
    ['openapi path', paths ?? {}],
    ['openapi schema', schemas],
    ['openapi webhook', webhooks ?? {}],
    ['operation', operationContracts()],
    ['command', commands()],
    ['event', events],
    ['bus message', { event: EventMessageSchema, Invalidation, SubmissionHint }],
    ['setting', settings],
    ['settings', settingLists],
  ]
  const lines = parts.flatMap(([kind, contracts]) =>
    Object.entries<unknown>({ ...contracts }).map(([name, contract]) => [
      `${kind} ${name}`,
      stripProse(contract),
    ]),
  )
  const sorted = lines.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
  return JSON.parse(JSON.stringify(Object.fromEntries(sorted))) as Baseline
}

const settingLists = {
  update: SettingsUpdate,
  defaults: settingDefaults,
  seeded: seededSettings,
  address: addressSettings,
  secret: secretSettings,
  privileged: privilegedSettings,
}

/**
 * Contracts of all API operations. The command that an operation forwards to a sync-worker is left
 * out: it is internal and part of the command contracts.
 */
function operationContracts(): Record<string, object> {
  return Object.fromEntries(
    allOperations.map(({ id, command: _command, ...operation }) => [id, operation]),
  )
}

/**
 * Contracts of all commands. Other exports of the command modules, such as schemas, have no name
 * and are left out.
 */
function commands(): Record<string, object> {
  const groups = [
    accountCommands,
    oneWayCommands,
    credentialCommands,
    outboxCommands,
    quotaCommands,
    verifyCommands,
  ]
  const members = groups.flatMap((group) => Object.values<object | number>(group))
  return Object.fromEntries(
    members.flatMap((member) =>
      typeof member === 'object' && 'name' in member && 'request' in member
        ? [[String(member.name), member]]
        : [],
    ),
  )
}

/** Reads the baseline of the contracts (state to compare with) that is committed to Git. */
export async function readBaseline(): Promise<Baseline> {
  const text = await readFile(baselineFile, 'utf8')
  const lines = text.split('\n').filter((line) => line !== '')
  return Object.fromEntries(lines.map((line) => JSON.parse(line) as [string, unknown]))
}

/**
 * Formats a baseline of the contracts as one line per contract, so that a diff names the changed
 * contracts.
 */
export function formatBaseline(baseline: Baseline): string {
  return Object.entries(baseline)
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('')
}
