import type { CommandGroup } from '../../program/command.ts'
import { positiveInteger } from '../../program/values.ts'

export const accounts: CommandGroup = {
  name: 'accounts',
  summary: 'Look at accounts and change them.',
  commands: [
    {
      name: 'list',
      summary: 'List the accounts.',
      options: [
        { flags: '--state <state>', description: 'only accounts in this state, such as connected' },
        {
          flags: '--query <text>',
          description: 'only accounts whose id, name or address contains the text',
        },
        {
          flags: '--limit <count>',
          description: 'end after this many accounts',
          parse: positiveInteger,
        },
      ],
      examples: [
        { purpose: 'List all accounts', line: 'accounts list' },
        {
          purpose: 'List the accounts that cannot log in',
          line: 'accounts list --state authenticationError',
        },
      ],
      load: async () => (await import('./list-accounts.ts')).listAccounts,
    },
  ],
}
