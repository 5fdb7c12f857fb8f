import type { Posthorn } from '@posthorn/client'
import type { Connection } from '../connection/connection.ts'
import type { Output } from '../io/output.ts'
import type { Progress } from '../io/progress.ts'
import type { Prompt } from '../io/prompt.ts'
import type { Terminal } from '../io/terminal.ts'

/** Values of the options of a command, by name in camel case. */
export type OptionValues = Readonly<Record<string, unknown>>

/** Everything that a command uses besides its arguments. */
export interface CommandContext {
  terminal: Terminal
  output: Output
  progress: Progress
  prompt: Prompt
  /** Aborts at SIGINT and SIGTERM, and when the reader of the output has closed it. */
  signal: AbortSignal
  /** All commands and jobs of the program. */
  program: { commands: readonly (CommandSpec | CommandGroup)[]; jobs: readonly JobSpec[] }
  /** Connection of the command: options, environment or stored login. */
  connection: () => Promise<Connection>
  /** Client of the API. Calls are repeated for `retryForMs`, by default 3 s. */
  posthorn: (options?: { retryForMs?: number }) => Promise<Posthorn>
}

/** Call of a command that its help shows. A test runs each of them. */
export interface Example {
  /** Purpose of the call, such as `Show the last error of an account`. */
  purpose: string
  /** Command line without the name of the program, such as `accounts show anna`. */
  line: string
}

/** Option of a command. */
export interface OptionSpec {
  /** Flags, such as `--state <state>`. */
  flags: string
  description: string
  /** Allowed values. */
  choices?: readonly string[]
  default?: string
  /** Converts the text of the option. Throws a UsageError if the text is wrong. */
  parse?: (text: string) => unknown
  /** True if the option can be repeated: its value is a list. */
  repeatable?: boolean
  required?: boolean
}

/** Argument of a command. */
export interface ArgumentSpec {
  /** `<name>`, `[name]` if it is optional, `<name...>` if it can be repeated. */
  name: string
  description: string
}

/** Function of a command. The module that contains it is loaded when the command runs. */
export type RunCommand = (
  context: CommandContext,
  args: readonly string[],
  options: OptionValues,
) => Promise<void>

/** Command of the program: the texts of the help, and the function of the command. */
export interface CommandSpec {
  name: string
  summary: string
  /** Further text of the help. */
  details?: string
  arguments?: readonly ArgumentSpec[]
  options?: readonly OptionSpec[]
  examples: readonly Example[]
  /**
   * Question of a destructive command, such as `Delete the account anna?`. The command gets the
   * option `--yes`, without which the user must confirm.
   */
  confirm?: (args: readonly string[], options: OptionValues) => string
  /** True for a command that changes many entities: it continues if its output has no reader. */
  continuesUnread?: boolean
  load: () => Promise<RunCommand>
}

/** Commands with a common first word, such as `accounts`. */
export interface CommandGroup {
  name: string
  summary: string
  commands: readonly CommandSpec[]
}

/** Job of the image that the program lists in its help. Jobs read their arguments themselves. */
export interface JobSpec {
  name: string
  summary: string
  /** Text of the help: usage, options, environment variables. */
  help: string
}
