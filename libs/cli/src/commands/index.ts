import type { CommandGroup, CommandSpec } from '../program/command.ts'
import { accounts } from './accounts/group.ts'
import { status } from './status/command.ts'

/** Commands of the program in the order of the help. */
export const commands: readonly (CommandSpec | CommandGroup)[] = [status, accounts]
