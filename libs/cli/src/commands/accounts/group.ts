import type { CommandGroup, CommandSpec } from '../../program/command.ts'
import { positiveInteger } from '../../program/values.ts'
import { addCommand } from './add-command.ts'
import { exportCommand, importCommand } from './transfer-commands.ts'

const account = { name: '<account>', description: 'id of the account' }

const list: CommandSpec = {
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
}

const show: CommandSpec = {
  name: 'show',
  summary: 'Show an account: state, advice, servers, counters.',
  arguments: [account],
  options: [{ flags: '--quota', description: 'ask the mail server for the storage quota' }],
  examples: [
    { purpose: 'Show the state and the last error of an account', line: 'accounts show anna' },
    { purpose: 'Show how full the mailbox is', line: 'accounts show anna --quota' },
  ],
  load: async () => (await import('./show-account.ts')).showAccount,
}

const reconnect: CommandSpec = {
  name: 'reconnect',
  summary: 'Close and reopen the connections of an account to its mail server.',
  details: 'Also resumes syncing that rejected logins have switched off.',
  arguments: [account],
  options: [
    { flags: '--wait', description: 'wait until the account is connected' },
    {
      flags: '--timeout <seconds>',
      description: 'with --wait: fail after this time (default: 120)',
      parse: positiveInteger,
    },
  ],
  examples: [{ purpose: 'Reconnect an account', line: 'accounts reconnect anna --wait' }],
  load: async () => (await import('./reconnect-account.ts')).reconnectAccount,
}

const sync: CommandSpec = {
  name: 'sync',
  summary: 'Start a sync of all mailboxes of an account.',
  arguments: [account],
  examples: [{ purpose: 'Sync an account now', line: 'accounts sync anna' }],
  load: async () => (await import('./sync-account.ts')).syncAccount,
}

const remove: CommandSpec = {
  name: 'delete',
  continuesUnread: true,
  summary: 'Delete accounts with their credentials, queued messages and tokens.',
  details: 'Messages on the mail server are not deleted.',
  arguments: [{ name: '<account...>', description: 'ids of the accounts' }],
  options: [
    { flags: '--revoke', description: 'also revoke the OAuth2 consent at the mail provider' },
  ],
  confirm: (args) =>
    `Delete the ${args.length === 1 ? 'account' : `${args.length} accounts`} ${args.join(', ')}?`,
  examples: [{ purpose: 'Delete two accounts', line: 'accounts delete anna ben --yes' }],
  load: async () => (await import('./delete-accounts.ts')).deleteAccounts,
}

export const accounts: CommandGroup = {
  name: 'accounts',
  summary: 'Look at accounts and change them.',
  commands: [list, show, addCommand, reconnect, sync, exportCommand, importCommand, remove],
}
