import type { CommandGroup, CommandSpec } from '../../program/command.ts'
import { commaSeparated, timeAfter } from '../../program/times.ts'
import { rateLimit } from './rate-limit.ts'

const token = { name: '<id>', description: 'beginning of the id of the token, not its value' }
const lookAt = () => import('./look-at-tokens.ts')

const create: CommandSpec = {
  name: 'create',
  summary: 'Create an access token. Prints its value, which is not shown again.',
  options: [
    {
      flags: '--scopes <names>',
      description: 'interfaces, separated by commas: api (default), smtp, imap-proxy',
      parse: commaSeparated,
    },
    { flags: '--account <id>', description: 'only valid for this account' },
    { flags: '--description <text>', description: 'description for operators' },
    {
      flags: '--actions <names>',
      description: 'only these actions: read, write, send, destructive',
      parse: commaSeparated,
    },
    {
      flags: '--groups <names>',
      description: 'only these groups of operations, such as message,submit',
      parse: commaSeparated,
    },
    {
      flags: '--addresses <ranges>',
      description: 'only clients with these addresses, such as 192.0.2.0/24',
      parse: commaSeparated,
    },
    {
      flags: '--referrers <patterns>',
      description: 'only requests with these Referer headers, such as *example.com/*',
      parse: commaSeparated,
    },
    {
      flags: '--rate-limit <requests/seconds>',
      description: 'at most this many requests in this time, such as 100/60',
      parse: rateLimit,
    },
    {
      flags: '--expires <time>',
      description: 'time at which the token expires, or period until then, such as 30d',
      parse: (text) => timeAfter(text),
    },
  ],
  examples: [
    {
      purpose: 'Store a new token that reads the mail of an account for 30 days',
      line: 'tokens create --account anna --actions read --expires 30d > anna.token',
    },
    {
      purpose: 'Create a token for mail clients in an office',
      line: 'tokens create --scopes smtp,imap-proxy --account anna --addresses 192.0.2.0/24',
    },
  ],
  load: async () => (await import('./create-token.ts')).createToken,
}

export const tokens: CommandGroup = {
  name: 'tokens',
  summary: 'Create, list and revoke access tokens.',
  commands: [
    create,
    {
      name: 'list',
      summary: 'List the access tokens, newest first.',
      options: [
        { flags: '--account <id>', description: 'only tokens that are bound to this account' },
        {
          flags: '--query <text>',
          description: 'only tokens whose id, description or account contains the text',
        },
      ],
      examples: [{ purpose: 'List the tokens of an account', line: 'tokens list --account anna' }],
      load: async () => (await lookAt()).listTokens,
    },
    {
      name: 'show',
      summary: 'Show an access token with its rights and its last use.',
      arguments: [token],
      examples: [{ purpose: 'Show a token', line: 'tokens show 9f86d081884c' }],
      load: async () => (await lookAt()).showToken,
    },
    {
      name: 'revoke',
      summary: 'Delete an access token. Its requests fail within a second.',
      arguments: [token],
      confirm: ([id]) => `Revoke the token ${id}?`,
      examples: [
        { purpose: 'Revoke a token in a script', line: 'tokens revoke 9f86d081884c --yes' },
      ],
      load: async () => (await lookAt()).revokeToken,
    },
  ],
}
