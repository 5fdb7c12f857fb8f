import type { CommandGroup } from '../../program/command.ts'
import { timeText } from '../../program/times.ts'

/**
 * Kinds of imported EmailEngine entities in the order of the import: later kinds refer to earlier
 * kinds.
 */
export const importKinds = [
  'applications',
  'gateways',
  'routes',
  'accounts',
  'templates',
  'blocklists',
  'tokens',
  'settings',
  'links',
] as const

export type ImportKind = (typeof importKinds)[number]

export const importing: CommandGroup = {
  name: 'import',
  summary: 'Import the data of another product.',
  commands: [
    {
      name: 'emailengine',
      continuesUnread: true,
      summary: 'Import accounts, settings and tokens of an EmailEngine instance.',
      details:
        'Reads the Redis of EmailEngine, which is not changed, or files of its export commands. ' +
        'What exists here already is not changed, so that the command can be repeated. ' +
        'With --dry-run, the server does not check functions and restrictions. ' +
        'Import with --paused while EmailEngine runs, stop EmailEngine, then run the command with --start. ' +
        'A URL with a password, and the secret of EmailEngine, are read from files or from the ' +
        'environment variables of EmailEngine: EENGINE_REDIS, EENGINE_REDIS_PREFIX, EENGINE_SECRET.',
      arguments: [
        {
          name: '[file...]',
          description: 'output of `emailengine export` or `emailengine tokens export`',
        },
      ],
      options: [
        { flags: '--redis <url>', description: 'Redis of EmailEngine, without a password' },
        { flags: '--redis-file <path>', description: 'file with the URL, `-` for standard input' },
        { flags: '--ca-file <path>', description: 'certificate of the CA of Redis (PEM)' },
        { flags: '--prefix <text>', description: 'prefix of the keys in Redis' },
        { flags: '--secret-file <path>', description: 'file with the secret of EmailEngine' },
        {
          flags: '--only <kind>',
          description: 'import this kind only, can be repeated',
          choices: importKinds,
          repeatable: true,
        },
        { flags: '--dry-run', description: 'report what would be imported, write nothing' },
        { flags: '--paused', description: 'register accounts without connecting to mail servers' },
        { flags: '--start', description: 'start the accounts, also those imported with --paused' },
        {
          flags: '--notify-from <time>',
          description: 'with --start: announce messages that arrived after this time, default: now',
          parse: timeText,
        },
      ],
      examples: [
        {
          purpose: 'Report what would be imported',
          line: 'import emailengine --redis redis://127.0.0.1:6379/8 --dry-run',
        },
        {
          purpose: 'Import while EmailEngine runs',
          line: 'import emailengine --redis redis://127.0.0.1:6379/8 --secret-file secret.txt --paused',
        },
        {
          purpose: 'Start the accounts after EmailEngine was stopped',
          line: 'import emailengine --redis redis://127.0.0.1:6379/8 --secret-file secret.txt --start',
        },
      ],
      load: async () => (await import('./import-emailengine.ts')).importEmailEngine,
    },
  ],
}
