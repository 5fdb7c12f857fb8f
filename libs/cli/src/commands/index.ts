import type { CommandGroup, CommandSpec } from '../program/command.ts'
import { accounts } from './accounts/group.ts'
import { status } from './status/command.ts'

/** Commands of the program in the order of the help. */
export const commands: readonly (CommandSpec | CommandGroup)[] = [status, accounts]

/** All commands with their paths, such as `accounts list`. */
export function commandList(): { path: string; spec: CommandSpec }[] {
  return commands.flatMap((part) =>
    'commands' in part
      ? part.commands.map((spec) => ({ path: `${part.name} ${spec.name}`, spec }))
      : [{ path: part.name, spec: part }],
  )
}
