import type { CommandSpec } from '../../program/command.ts'

export const status: CommandSpec = {
  name: 'status',
  summary: 'Show the state of the server: accounts by state, work queues, versions.',
  examples: [
    { purpose: 'Show the state of the server', line: 'status' },
    { purpose: 'Use the number of connected accounts in a program', line: 'status --json' },
  ],
  load: async () => (await import('./show-status.ts')).showStatus,
}
