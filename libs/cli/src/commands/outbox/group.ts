import type { CommandGroup } from '../../program/command.ts'
import { positiveInteger } from '../../program/values.ts'

const entry = { name: '<queue-id>', description: 'id of the submission, from `send` or `list`' }
const entries = { name: '<queue-id...>', description: 'ids of the submissions' }

/** Loads the functions of the commands that change submissions in the outbox. */
const change = async () => import('./change-entries.ts')

export const outbox: CommandGroup = {
  name: 'outbox',
  summary: 'Look at queued messages, hold and cancel them.',
  commands: [
    {
      name: 'list',
      summary: 'List queued and held messages, oldest first.',
      options: [
        { flags: '--account <account>', description: 'only messages of this account' },
        {
          flags: '--state <state>',
          description: 'only messages in this state',
          choices: ['queued', 'held', 'sent', 'failed', 'bounced'],
        },
        {
          flags: '--limit <count>',
          description: 'end after this many messages',
          parse: positiveInteger,
        },
      ],
      examples: [
        { purpose: 'List queued and held messages', line: 'outbox list' },
        {
          purpose: 'List the failed messages of an account',
          line: 'outbox list --account anna --state failed',
        },
      ],
      load: async () => (await import('./list-outbox.ts')).listOutbox,
    },
    {
      name: 'show',
      summary: 'Show a message in the outbox: state, attempts, last error.',
      arguments: [entry],
      examples: [{ purpose: 'Show why a message waits', line: 'outbox show q-18f3a2' }],
      load: async () => (await import('./show-entry.ts')).showEntry,
    },
    {
      name: 'hold',
      summary: 'Hold messages: they are not sent until they are released.',
      arguments: [entries],
      examples: [{ purpose: 'Hold a message', line: 'outbox hold q-18f3a2' }],
      load: async () => (await change()).holdEntries,
    },
    {
      name: 'release',
      summary: 'Release held messages.',
      arguments: [entries],
      examples: [{ purpose: 'Release a message', line: 'outbox release q-18f3a2' }],
      load: async () => (await change()).releaseEntries,
    },
    {
      name: 'send-now',
      summary: 'Make held, scheduled or retrying messages due now.',
      arguments: [entries],
      examples: [{ purpose: 'Send a scheduled message now', line: 'outbox send-now q-18f3a2' }],
      load: async () => (await change()).sendEntriesNow,
    },
    {
      name: 'cancel',
      summary: 'Delete messages from the outbox: they are not sent.',
      arguments: [entries],
      confirm: (args) =>
        `Cancel the ${args.length === 1 ? 'message' : `${args.length} messages`} ${args.join(', ')}?`,
      examples: [{ purpose: 'Cancel a message', line: 'outbox cancel q-18f3a2 --yes' }],
      load: async () => (await change()).cancelEntries,
    },
  ],
}
