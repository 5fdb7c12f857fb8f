import { UsageError } from '../../exit-codes.ts'
import type { CommandSpec } from '../../program/command.ts'
import { timeText } from '../../program/times.ts'

export const exportCommand: CommandSpec = {
  name: 'export',
  summary: 'Print accounts for another instance, a JSON value per line.',
  details: [
    'The server seals the secrets for the public key of the other instance: `posthorn keys list`',
    'there prints the key, and SVC_ACCOUNT_EXPORT_KEYS here must list it.',
  ].join('\n'),
  arguments: [{ name: '[account...]', description: 'ids of the accounts (default: all)' }],
  options: [
    {
      flags: '--for <key>',
      description: 'public sealing key of the other instance',
      required: true,
    },
  ],
  examples: [
    {
      purpose: 'Store all accounts in a file for another instance',
      line: 'accounts export --for mB3v0lqX1oJ9W5xEJt8d3k0Yw7uQ2nZc4sT6rF5aGhI > accounts.ndjson',
    },
  ],
  load: async () => (await import('./export-accounts.ts')).exportAccounts,
}

export const importCommand: CommandSpec = {
  name: 'import',
  continuesUnread: true,
  summary: 'Register the accounts that another instance has exported.',
  details: 'Existing accounts stay unchanged: the command can be repeated.',
  arguments: [{ name: '<file>', description: 'file of `accounts export`, `-` for standard input' }],
  options: [
    {
      flags: '--application <old=new>',
      description: 'id of an OAuth2 application there and here (repeatable)',
      parse: applicationIds,
      repeatable: true,
    },
    { flags: '--paused', description: 'pause the accounts (default: as exported)' },
    { flags: '--start', description: 'connect the accounts, also those that were paused' },
    {
      flags: '--notify-from <time>',
      description: 'announce messages received since this time (default: now)',
      parse: timeText,
    },
  ],
  examples: [
    {
      purpose: 'Register the accounts without connecting to their servers',
      line: 'accounts import accounts.ndjson --paused',
    },
  ],
  load: async () => (await import('./import-accounts.ts')).importAccounts,
}

/**
 * Splits `old=new` into the ids of an OAuth2 application at the exporting and the importing
 * instance.
 */
function applicationIds(text: string): [string, string] {
  const [from, to, ...rest] = text.split('=')
  if (!from || !to || rest.length > 0) throw new UsageError('expected two ids such as old=new')
  return [from, to]
}
