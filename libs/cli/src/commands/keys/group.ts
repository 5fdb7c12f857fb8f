import type { CommandGroup } from '../../program/command.ts'

export const keys: CommandGroup = {
  name: 'keys',
  summary: 'Look at sealing keys, or create new ones (see `keys --help`).',
  commands: [
    {
      name: 'list',
      summary: 'List the public keys with which the server seals secrets.',
      details:
        'Another instance exports accounts for the current key: `accounts export --for KEY`.',
      examples: [
        { purpose: 'List the keys', line: 'keys list' },
        { purpose: 'Print the current key', line: 'keys list --json | grep \'"current":true\'' },
      ],
      load: async () => (await import('./list-keys.ts')).listKeys,
    },
  ],
}
