import type { CommandGroup, CommandSpec } from '../program/command.ts'
import { accounts } from './accounts/group.ts'
import { bounce } from './bounce/group.ts'
import { completion } from './completion/command.ts'
import { events } from './events/group.ts'
import { exports } from './exports/group.ts'
import { importing } from './import/group.ts'
import { keys } from './keys/group.ts'
import { login, logout } from './login/commands.ts'
import { messages } from './messages/group.ts'
import { oauth2 } from './oauth2/group.ts'
import { outbox } from './outbox/group.ts'
import { routes } from './routes/group.ts'
import { send } from './send/command.ts'
import { settings } from './settings/group.ts'
import { status } from './status/command.ts'
import { tokens } from './tokens/group.ts'
import { webhooks } from './webhooks/group.ts'

/** Commands of the program `posthorn` in the order of the help. */
export const commands: readonly (CommandSpec | CommandGroup)[] = [
  login,
  logout,
  status,
  accounts,
  messages,
  events,
  bounce,
  send,
  outbox,
  exports,
  importing,
  webhooks,
  routes,
  tokens,
  settings,
  oauth2,
  keys,
  completion,
]

/** All commands of the program with their paths, such as `accounts list`. */
export function commandList(): { path: string; spec: CommandSpec }[] {
  return commands.flatMap((part) =>
    'commands' in part
      ? part.commands.map((spec) => ({ path: `${part.name} ${spec.name}`, spec }))
      : [{ path: part.name, spec: part }],
  )
}
