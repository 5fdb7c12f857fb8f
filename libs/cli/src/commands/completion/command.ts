import type { CommandSpec } from '../../program/command.ts'

export const completion: CommandSpec = {
  name: 'completion',
  summary: 'Print the completion of commands and options for a shell.',
  arguments: [{ name: '<shell>', description: 'bash or zsh' }],
  examples: [
    { purpose: 'Load it in ~/.bashrc', line: 'completion bash > posthorn.bash' },
    { purpose: 'Store it in a folder of $fpath', line: 'completion zsh > _posthorn' },
  ],
  load: async () => (await import('./print-completion.ts')).printCompletion,
}
