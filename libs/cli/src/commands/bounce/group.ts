import type { CommandGroup } from '../../program/command.ts'

export const bounce: CommandGroup = {
  name: 'bounce',
  summary: 'Read delivery reports and complaints without a server.',
  commands: [
    {
      name: 'check',
      summary: 'Show what Posthorn reads in a bounce, delivery report or complaint.',
      details:
        'Reads the source of a message (RFC 5322) from a file, or from standard input for `-`. Fails with exit code 1 if the message is no report.',
      arguments: [{ name: '<file>', description: 'file with the message, `-` for standard input' }],
      examples: [
        { purpose: 'Read a bounce', line: 'bounce check bounce.eml' },
        {
          purpose: 'Use the recommended actions in a program',
          line: 'bounce check --json - < bounce.eml',
        },
      ],
      load: async () => (await import('./check-bounce.ts')).checkBounce,
    },
  ],
}
