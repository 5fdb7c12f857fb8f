import type { Posthorn } from '@posthorn/client'
import type { Connection } from '../connection/connection.ts'
import type { Output } from '../io/output.ts'
import type { Progress } from '../io/progress.ts'
import type { Prompt } from '../io/prompt.ts'
import type { Terminal } from '../io/terminal.ts'

/** Values of the options of a command, by name in camel case. */
export type OptionValues = Readonly<Record<string, unknown>>

/** API client, output and other objects that a command uses besides its arguments. */
export interface CommandContext {
  terminal: Terminal
  output: Output
  progress: Progress
  prompt: Prompt
  /**
   * Signal for commands that aborts at SIGINT and SIGTERM, and when the reader of the output has
   * closed the output.
   */
  signal: AbortSignal
  /** All commands and jobs of the program `posthorn`. */
  program: { commands: readonly (CommandSpec | CommandGroup)[]; jobs: readonly JobSpec[] }
  /** Server URL and token of the command: from options, environment or stored login. */
  connection: () => Promise<Connection>
  /** Creates a client of the API. Calls are repeated for `retryForMs`, by default 3 s. */
  posthorn: (options?: { retryForMs?: number }) => Promise<Posthorn>
}

/** Example of a command line that the help of a command shows. A test runs each example. */
export interface Example {
  /** Purpose of a command's example, such as `Show the last error of an account`. */
  purpose: string
  /** Command line of a command's example without the program name, such as `accounts show anna`. */
  line: string
}

/** Specification of a command line option. */
export interface OptionSpec {
  /** Flags of a command line option, such as `--state <state>`. */
  flags: string
  description: string
  /** Allowed values of a command line option. */
  choices?: readonly string[]
  default?: string
  /** Converts the text of a command line option. Throws a UsageError if the text is invalid. */
  parse?: (text: string) => unknown
  /**
   * True if the option of a command accepts an empty text, such as the empty subject of a message.
   */
  mayBeEmpty?: boolean
  /** True if a command line option can be repeated: its value is then a list. */
  repeatable?: boolean
  required?: boolean
}

/** Specification of a command line argument. */
export interface ArgumentSpec {
  /**
   * Notation of a command line argument: `<name>`, `[name]` if optional, `<name...>` if repeatable.
   */
  name: string
  description: string
}

/**
 * Function that runs a command. The module that contains the function is loaded when the command
 * runs.
 */
export type RunCommand = (
  context: CommandContext,
  args: readonly string[],
  options: OptionValues,
) => Promise<void>

/** Specification of a command: the texts of its help, and the function that runs the command. */
export interface CommandSpec {
  name: string
  summary: string
  /** Further text in the help of the command. */
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

/** Group of commands with a common first word, such as `accounts`. */
export interface CommandGroup {
  name: string
  summary: string
  commands: readonly CommandSpec[]
}

/**
 * One-time command of the container image (job), such as `migrate`, that `posthorn` lists in its
 * help. Jobs read their arguments themselves.
 */
export interface JobSpec {
  name: string
  summary: string
  /**
   * Help text of a one-time command (job) such as `migrate`: usage, options, environment variables.
   */
  help: string
}
