/** Exit codes of the program `posthorn`. */
export const exitCodes = {
  success: 0,
  /** Exit code if the command failed, or the API refused a call. */
  failed: 1,
  /** Exit code for wrong arguments, or without confirmation. The command has changed nothing. */
  usage: 2,
  /** Exit code if the API sent no complete response. */
  unreachable: 3,
  /** Exit code if SIGINT ended the command, as in a shell: 128 plus the number of the signal. */
  interrupted: 130,
} as const

/** Failure of a command with the text for the user: the problem and its remedy. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Failure of a command because of wrong arguments. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message, exitCodes.usage)
  }
}
