import type { CommandGroup } from '../../program/command.ts'
import { timeText } from '../../program/times.ts'
import { positiveInteger } from '../../program/values.ts'

const account = { name: '<account>', description: 'id of the account' }
const message = { name: '<message>', description: 'id of the message, from `messages list`' }

export const messages: CommandGroup = {
  name: 'messages',
  summary: 'Read messages.',
  commands: [
    {
      name: 'list',
      summary: 'List the messages of a mailbox, newest first.',
      arguments: [account],
      options: [
        {
          flags: '--path <mailbox>',
          description: 'mailbox: a path, or a special use such as \\Sent',
          default: 'INBOX',
        },
        { flags: '--search <text>', description: 'only messages whose body contains the text' },
        { flags: '--subject <text>', description: 'only messages whose subject contains the text' },
        { flags: '--from <text>', description: 'only messages whose sender contains the text' },
        { flags: '--since <time>', description: 'only messages since this day', parse: timeText },
        { flags: '--unseen', description: 'only messages that are not marked as read' },
        {
          flags: '--limit <count>',
          description: 'end after this many messages',
          parse: positiveInteger,
        },
      ],
      examples: [
        { purpose: 'List the 20 newest messages', line: 'messages list anna --limit 20' },
        {
          purpose: 'Search messages by their subject',
          line: 'messages list anna --path INBOX --subject invoice',
        },
      ],
      load: async () => (await import('./list-messages.ts')).listMessages,
    },
    {
      name: 'show',
      summary: 'Show a message: addresses, attachments and plain text.',
      arguments: [account, message],
      examples: [{ purpose: 'Show a message', line: 'messages show anna AAAAAQAAAAE' }],
      load: async () => (await import('./show-message.ts')).showMessage,
    },
    {
      name: 'source',
      summary: 'Print the source of a message (RFC 5322), byte for byte.',
      arguments: [account, message],
      examples: [
        {
          purpose: 'Store a message in a file',
          line: 'messages source anna AAAAAQAAAAE > message.eml',
        },
      ],
      load: async () => (await import('./print-source.ts')).printSource,
    },
  ],
}
