import type { CommandGroup, CommandSpec } from '../../program/command.ts'
import { timeText } from '../../program/times.ts'
import { nonNegativeInteger, positiveInteger } from '../../program/values.ts'

const account = { name: '<account>', description: 'id of the account' }
const id = { name: '<export>', description: 'id of the export, from `start` or `list`' }
const target = [account, id]
const exampleId = 'exp_0123456789abcdef01234567'

const start: CommandSpec = {
  name: 'start',
  summary: 'Export the messages of an account to a file on the server.',
  arguments: [account],
  options: [
    {
      flags: '--since <time>',
      description: 'only messages received since this time (default: all)',
      parse: timeText,
    },
    {
      flags: '--before <time>',
      description: 'only messages received before this time (default: now)',
      parse: timeText,
    },
    {
      flags: '--path <mailbox>',
      description: 'only this mailbox: a path, or a special use such as \\Sent (repeatable)',
      repeatable: true,
    },
    {
      flags: '--text <type>',
      description: 'texts of the messages (default: both)',
      choices: ['plain', 'html', 'both'],
    },
    {
      flags: '--max-bytes <count>',
      description: 'cut longer texts, 0 for no limit (default: 5242880)',
      parse: nonNegativeInteger,
    },
    { flags: '--attachments', description: 'include the contents of attachments' },
    { flags: '--wait', description: 'wait until the file is complete' },
  ],
  examples: [
    {
      purpose: 'Export the messages of a year, and wait for the file',
      line: 'exports start anna --since 2025-01-01 --before 2026-01-01 --wait',
    },
    {
      purpose: 'Export a mailbox with its attachments',
      line: 'exports start anna --path INBOX --attachments',
    },
  ],
  load: async () => (await import('./start-export.ts')).startExport,
}

const list: CommandSpec = {
  name: 'list',
  summary: 'List exports, newest first.',
  arguments: [{ name: '[account]', description: 'id of the account (default: all accounts)' }],
  options: [
    {
      flags: '--limit <count>',
      description: 'end after this many exports',
      parse: positiveInteger,
    },
  ],
  examples: [
    { purpose: 'List the exports of an account', line: 'exports list anna' },
    { purpose: 'List the exports of all accounts', line: 'exports list' },
  ],
  load: async () => (await import('./list-exports.ts')).listExports,
}

const wait: CommandSpec = {
  name: 'wait',
  summary: 'Wait until the file of an export is complete.',
  details: 'Fails with exit code 1 if the export fails or is cancelled.',
  arguments: target,
  examples: [{ purpose: 'Wait for an export', line: `exports wait anna ${exampleId}` }],
  load: async () => (await import('./wait-for-export.ts')).waitForExport,
}

const download: CommandSpec = {
  name: 'download',
  summary: 'Download the file of an export: a message per line, compressed with gzip.',
  details: 'A second run continues a download that was interrupted.',
  arguments: target,
  options: [{ flags: '--to <path>', description: 'file to write (default: <export>.ndjson.gz)' }],
  examples: [
    {
      purpose: 'Download the file of an export',
      line: `exports download anna ${exampleId} --to anna.ndjson.gz`,
    },
  ],
  load: async () => (await import('./download-export.ts')).downloadExport,
}

const remove: CommandSpec = {
  name: 'delete',
  summary: 'Cancel a running export, or delete the file of an export.',
  arguments: target,
  confirm: ([, exportId = '']) => `Delete the export ${exportId}?`,
  examples: [{ purpose: 'Delete an export', line: `exports delete anna ${exampleId} --yes` }],
  load: async () => (await import('./delete-export.ts')).deleteExport,
}

export const exports: CommandGroup = {
  name: 'exports',
  summary: 'Export messages to files.',
  commands: [list, start, wait, download, remove],
}
