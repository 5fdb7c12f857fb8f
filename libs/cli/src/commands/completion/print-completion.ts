import { UsageError } from '../../exit-codes.ts'
import type { RunCommand } from '../../program/command.ts'
import { bashScript } from './bash-script.ts'
import { outline } from './outline.ts'
import { zshScript } from './zsh-script.ts'

/**
 * Command `completion`: prints the completion script of a shell. The script is static: completion
 * starts no program.
 */
export const printCompletion: RunCommand = async ({ output, program }, [shell]) => {
  const nodes = outline(program.commands, program.jobs)
  if (shell !== 'bash' && shell !== 'zsh') throw new UsageError('the shell must be bash or zsh')
  const script = shell === 'bash' ? bashScript(nodes) : zshScript(nodes)
  await output.bytes(Buffer.from(script))
}
