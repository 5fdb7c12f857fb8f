import type { CommandSpec } from '../../program/command.ts'
import { portNumber, positiveInteger } from '../../program/values.ts'

export const addCommand: CommandSpec = {
  name: 'add',
  summary: 'Register an account.',
  details: [
    'The servers are named by options, found by --autoconfig, or part of a file.',
    'Asks for the password unless --password-file names a file with the password.',
  ].join('\n'),
  arguments: [{ name: '[account]', description: 'id of the account (default: a new id)' }],
  options: [
    { flags: '--email <address>', description: 'email address of the account' },
    { flags: '--name <name>', description: 'name of the owner (default: the address)' },
    { flags: '--user <name>', description: 'login name (default: the address)' },
    {
      flags: '--password-file <path>',
      description: 'file with the password, `-` for standard input',
    },
    { flags: '--autoconfig', description: 'look up the servers of the address' },
    { flags: '--imap-host <host>', description: 'incoming server' },
    {
      flags: '--imap-port <port>',
      description: 'port of the incoming server (default: 993)',
      parse: portNumber,
    },
    { flags: '--smtp-host <host>', description: 'outgoing server' },
    {
      flags: '--smtp-port <port>',
      description: 'port of the outgoing server (default: 465)',
      parse: portNumber,
    },
    {
      flags: '--starttls',
      description: 'use STARTTLS at all ports (default: except at 993 and 465)',
    },
    { flags: '--any-certificate', description: 'accept certificates that cannot be verified' },
    { flags: '--paused', description: 'register the account without connecting to its servers' },
    {
      flags: '--file <path>',
      description:
        'JSON file with the body of the request, `-` for standard input, instead of servers and login',
    },
    { flags: '--update', description: 'change the account if it exists (default: fail)' },
    { flags: '--form', description: 'print the link of a form on which the owner logs in' },
    { flags: '--redirect-url <url>', description: 'with --form: page that follows the form' },
    { flags: '--wait', description: 'wait until the account is connected' },
    {
      flags: '--timeout <seconds>',
      description: 'with --wait: fail after this time (default: 120)',
      parse: positiveInteger,
    },
  ],
  examples: [
    {
      purpose: 'Register an account and wait until it is connected',
      line: 'accounts add anna --email anna@example.com --imap-host imap.example.com --smtp-host smtp.example.com --password-file password.txt --wait',
    },
    {
      purpose: 'Register an account at a known provider, and connect later',
      line: 'accounts add ben --email ben@yahoo.com --autoconfig --password-file password.txt --paused',
    },
    {
      purpose: 'Register an account with all its settings from a file',
      line: 'accounts add --file account.json',
    },
    {
      purpose: 'Print a link for the owner of the mailbox',
      line: 'accounts add carl --form --redirect-url https://app.example/welcome',
    },
  ],
  load: async () => (await import('./add-account.ts')).addAccount,
}
