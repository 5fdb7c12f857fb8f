import type { CommandGroup } from '../../program/command.ts'
import { positiveInteger } from '../../program/values.ts'

export const events: CommandGroup = {
  name: 'events',
  summary: 'Follow what happens.',
  commands: [
    {
      name: 'tail',
      summary: 'Print state changes of accounts and proxies as they happen.',
      details: 'Connects again after an interruption and continues after the last change.',
      options: [
        { flags: '--account <account>', description: 'only changes of this account' },
        {
          flags: '--since <id>',
          description: 'start after the change with this id, of the last 24 hours',
        },
        {
          flags: '--limit <count>',
          description: 'end after this many changes',
          parse: positiveInteger,
        },
      ],
      examples: [
        { purpose: 'Follow all changes, until Ctrl-C', line: 'events tail' },
        {
          purpose: 'Wait for the next change of an account',
          line: 'events tail --account anna --limit 1 --json',
        },
      ],
      load: async () => (await import('./tail-events.ts')).tailEvents,
    },
  ],
}
